import { MillraceError } from '../../errors/index.ts'

/** Rejects a request with too many answers. */
export function checkAnswerCount(count: number, maxResults: number): void {
  if (count <= maxResults) return
  throw new MillraceError(
    'bad_request',
    `The request has ${count} results, more than the limit of ${maxResults}; send several requests.`,
  )
}
