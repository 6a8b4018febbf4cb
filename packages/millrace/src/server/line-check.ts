import { createVerifier, type Verifier, type Violation } from '../envelope/index.ts'

/** Sessions whose state is remembered; the one seen longest ago is taken up in the middle after that. */
const maxSessions = 1_000

/** Builds what checks every line of every session against the protocol. */
export function createLineCheck(
  onViolation: (violation: Violation) => void,
  maxBytes: number,
): (session: string, id: number, line: string) => void {
  const verifiers = new Map<string, Verifier>()

  const find = (session: string, id: number): Verifier => {
    const verifier = verifiers.get(session) ?? createVerifier({ maxBytes, isResumed: id > 1 })
    verifiers.delete(session)
    verifiers.set(session, verifier)
    const [oldest] = verifiers.keys()
    if (verifiers.size > maxSessions && oldest !== undefined) verifiers.delete(oldest)
    return verifier
  }

  return (session, id, line) => find(session, id).push(line, id).forEach(onViolation)
}
