"""The section "query" of the server's configuration is enforced: usage: query_limits_test.py SOURCE_DIR TABLECAST"""
import json
import pathlib
import sys
from urllib.parse import quote

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from served import Served

LIMITS = {'maxUrlBytes': 300, 'maxExpressionDepth': 4, 'maxExpressionNodes': 30, 'maxInItems': 3, 'maxExpandDepth': 1,
          'maxSearchBytes': 10, 'maxAliases': 1, 'maxItemsScanned': 400, 'maxExpandedRecords': 10, 'maxSortedRecords': 10, 'maxGroups': 2, 'maxPageBytes': 1024, 'maxBatchParts': 2,
          'requireIfMatch': True}


def check(name, served, method, path, status, body=None):
    got = served.request(method, path, body)
    assert got[0] == status, (name, got[0], got[2])
    return got[2]


CASES = [
    ('maxUrlBytes', 'Orders?$filter=' + quote("CUSTOMER eq '" + 'x' * 300 + "'"), 414),
    ('maxExpressionDepth', 'Orders?$filter=' + quote("((((((((TOTAL eq 1))))))))"), 400),
    ('maxExpressionNodes', 'Orders?$filter=' + quote(' or '.join(['TOTAL eq 1'] * 12)), 400),
    ('maxInItems', 'Orders?$filter=' + quote('TOTAL in (1,2,3,4)'), 400),
    ('maxExpandDepth', 'Orders?$top=1&$expand=' + quote('Lines($expand=Product)'), 400),
    ('maxSearchBytes', 'Orders?$search=' + 'x' * 11, 400),
    ('maxAliases', 'Orders?$filter=' + quote('TOTAL eq @a or TOTAL eq @b') + '&@a=1&@b=2', 400),
    ('maxExpandedRecords', 'Orders?$top=20&$expand=Lines', 400),
    ('maxSortedRecords', 'Orders?$orderby=' + quote('length(CUSTOMER) desc'), 400),
    ('maxGroups', 'Orders?$apply=' + quote('groupby((CUSTOMER))'), 400),
    ('maxItemsScanned', 'OrderItems?$filter=' + quote("contains(PRODUCTNAME,'nobody')"), None),
]
for limits in ({}, LIMITS):
    with Served(sys.argv[1], sys.argv[2], 'order-management', {'query': limits}) as served:
        for name, path, status in CASES:
            got = served.request('GET', path)
            if limits:
                assert got[0] >= 400 and status in (None, got[0]), (name, got[0], got[2])
            else:
                assert got[0] == 200, (name, got[0], got[2])
        schema = served.request('GET', '$metadata')[2]
        assert f'''Property="MaxLevels" Int="{1 if limits else 5}"''' in schema, schema
        page = json.loads(check('maxPageBytes', served, 'GET', 'Products?$top=30', 200))
        assert ('@odata.nextLink' in page) == bool(limits), (len(page['value']), limits)
        parts = {'requests': [{'id': str(i), 'method': 'GET', 'url': "Orders('1012')"} for i in range(3)]}
        got = served.request('POST', '$batch', parts)
        assert (got[0] == 200) != bool(limits), got
        check('requireIfMatch', served, 'PATCH', "Orders('1012')", 428 if limits else 204, {'CUSTOMER': 'x'})
        check('requireIfMatch', served, 'DELETE', "Orders('1012')", 428 if limits else 204)
print('query limits: ok')
