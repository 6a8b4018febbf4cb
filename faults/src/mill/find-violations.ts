import { createVerifier } from 'millrace'

/** Returns descriptions of the violated rules of the protocol in the log of a completed run. */
export function findViolations(lines: readonly string[]): readonly string[] {
  const verifier = createVerifier()
  const broken = lines.flatMap((line, index) => verifier.push(line, index + 1))
  return [...broken, ...verifier.end(true)].map(
    ({ rule, message, line }) => `frame ${line} breaks [${rule}]: ${message}`,
  )
}
