import { expect, test } from 'vitest'
import { decodeFaults } from './decode-faults.ts'
import type { Fault } from './fault.ts'

test.each<[string, Fault[]]>([
  ['', []],
  ['cut', [{ kind: 'cut' }]],
  ['cut@byte:400', [{ kind: 'cut', at: { byte: 400 } }]],
  ['end@12', [{ kind: 'end', at: { event: 12 } }]],
  ['stall@message_stop', [{ kind: 'stall', at: { type: 'message_stop' } }]],
  [
    'stall=500@content_block_delta#3, crlf',
    [{ kind: 'stall', waitMs: 500, at: { type: 'content_block_delta', nth: 3 } }, { kind: 'crlf' }],
  ],
  ['rate_limit=2*1', [{ kind: 'status', status: 429, retryAfterS: 2, times: 1 }]],
  ['status=529%10', [{ kind: 'status', status: 529, chance: 0.1 }]],
  ['pings=3@5*2%50', [{ kind: 'pings', count: 3, at: { event: 5 }, times: 2, chance: 0.5 }]],
  ['wrong_index=-1', [{ kind: 'wrong_index', by: -1 }]],
  ['insert=news', [{ kind: 'insert', event: { type: 'news' } }]],
  ['chunks=1 bom comments', [{ kind: 'chunks', bytes: 1 }, { kind: 'bom' }, { kind: 'comments' }]],
  ['slow_headers=2000', [{ kind: 'slow_headers', waitMs: 2000 }]],
])('decodes %j', (text, faults) => expect(decodeFaults(text)).toEqual(faults))

test.each([
  ['explode', 'the faults are bad_json'],
  ['cut@', 'is written name=value@place*times%chance'],
  ['Cut', 'is written name='],
  ['chunks=1.5', 'must be like =1'],
  ['pings=0.5', 'must be like =3'],
  ['status', 'needs a value, such as =529'],
  ['status=200', 'must be like =529'],
  ['chunks=0', 'must be like =1'],
  ['error=my_error', 'must be like =api_error'],
  ['cut=5', 'takes no value'],
  ['crlf@5', 'applies to the whole response'],
  ['drop@byte:5', 'its place is an event'],
  ['cut@Somewhere', 'or a byte as in @byte:400'],
])('rejects %j: %s', (text, words) => expect(() => decodeFaults(text)).toThrow(words))
