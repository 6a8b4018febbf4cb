import { createVerifier } from 'millrace'

/** The rules of the protocol that the log of a run which is over breaks, in words. */
export function findViolations(lines: readonly string[]): readonly string[] {
  const verifier = createVerifier()
  const broken = lines.flatMap((line, index) => verifier.push(line, index + 1))
  return [...broken, ...verifier.end(true)].map(
    ({ rule, message, line }) => `message ${line} breaks [${rule}]: ${message}`,
  )
}
