import { createVerifier, type Verifier, type Violation } from '../../events/index.ts'

/** Maximum number of logs whose state is stored; the least recently used one is then checked from its middle. */
const maxSessions = 1_000

/** Creates a check of each line of each log against the protocol. */
export function createLineCheck(
  onViolation: (violation: Violation) => void,
  maxBytes: number,
): (log: string, id: number, line: string) => void {
  const checked = new Map<string, { readonly verifier: Verifier; readonly lastId: number }>()

  const find = (log: string, id: number): Verifier => {
    const known = checked.get(log)
    // Other servers of the store wrote the lines in between.
    const isKnown = known !== undefined && id <= known.lastId + 1
    const verifier = isKnown ? known.verifier : createVerifier({ maxBytes, isResumed: id > 1 })
    checked.delete(log)
    checked.set(log, { verifier, lastId: id })
    const [oldest] = checked.keys()
    if (checked.size > maxSessions && oldest !== undefined) checked.delete(oldest)
    return verifier
  }

  return (log, id, line) => find(log, id).push(line, id).forEach(onViolation)
}
