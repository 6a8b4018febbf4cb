import { badRequest } from '../../errors/index.ts'

/** Rejects a request with too many answers. */
export function checkAnswerCount(count: number, maxResults: number): void {
  if (count <= maxResults) return
  throw badRequest(
    `The request has ${count} results, more than the limit of ${maxResults}; send several requests.`,
  )
}
