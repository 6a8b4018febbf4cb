import { recognizeFormats } from 'millrace/dialects'
import { misuse } from '../cli/command.ts'

/** Throws if the first data of a stream has another format than the named one. */
export function checkFormat(named: string, data: string): void {
  const found = recognizeFormats(data)
  if (found.length === 0 || found.includes(named)) return
  throw misuse(`The input looks like ${found.join(' or ')}; use --from ${found[0]}.`)
}
