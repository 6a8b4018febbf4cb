import { redactText } from './secrets/redact-text.ts'

/** Maximum length of the text of one error. */
const maxChars = 65_536

/** Number of causes that are shown. */
const maxCauses = 3

/** Formats an error for a log: its stack and those of its causes, with secrets masked. */
export function toErrorLog(error: unknown): string {
  const stacks: string[] = []
  for (let one = error; one !== undefined && stacks.length <= maxCauses;) {
    stacks.push(one instanceof Error ? (one.stack ?? one.message) : String(one))
    one = one instanceof Error ? one.cause : undefined
  }
  // Masked before it is cut, because half a secret is not recognised.
  return redactText(stacks.join('\nCaused by: ').slice(0, 2 * maxChars)).slice(0, maxChars)
}

/** Prints an error to the standard error output: the default where no `onError` is given. */
export function printError(error: unknown, { session }: { readonly session?: string } = {}): void {
  const where = session === undefined ? '' : `Session ${session}: `
  console.error(`${where}${toErrorLog(error)}`)
}
