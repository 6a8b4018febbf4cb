import { decodeEnvelope } from '../../envelope/index.ts'
import type { LogEntry, Store } from '../../stores/port/index.ts'
import { scanBackwards } from '../reading/scan-backwards.ts'
import { isPayload, type ViewRules } from './view-rules.ts'

const decoder = new TextDecoder()

/**
 * The id after which a reader with a view begins to look: that of its cursor, unless the cursor falls into a block of
 * JSON from which members are taken out. The messages of such a block are stored at once, and so stand together.
 */
export function findPayloadStart(
  store: Pick<Store, 'read'>,
  rules: ViewRules,
  after: number,
): Promise<number> {
  return scanBackwards(store, rules.session, after, (entry) => !isOpenPayload(rules, entry))
}

function isOpenPayload(rules: ViewRules, { line }: LogEntry): boolean {
  try {
    const { type, final } = decodeEnvelope(decoder.decode(line))
    return !final && isPayload(type) && rules.fieldsOf(type).size > 0
  } catch {
    return false
  }
}
