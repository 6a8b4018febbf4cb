import { MillraceError } from '../../errors/index.ts'

/** Refuses a request with more answers than one may hold. */
export function checkAnswerCount(count: number, maxResults: number): void {
  if (count <= maxResults) return
  throw new MillraceError(
    'bad_request',
    `${count} results are more than the ${maxResults} that one request may hold; send them in parts.`,
  )
}
