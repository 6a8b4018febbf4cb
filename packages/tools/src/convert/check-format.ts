import { recognizeFormats } from 'millrace/dialects'
import { misuse } from '../cli/misuse.ts'

/** Fails if the data of a stream's first message is of another format than the one that was named. */
export function checkFormat(named: string, data: string): void {
  const found = recognizeFormats(data)
  if (found.length === 0 || found.includes(named)) return
  throw misuse(`The input looks like ${found.join(' or ')}; use --from ${found[0]}.`)
}
