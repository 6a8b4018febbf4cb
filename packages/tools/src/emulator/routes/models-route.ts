import { type JsonObject, MillraceError } from 'millrace'
import { toErrorResponse, toApiHeaders } from './api-error.ts'
import type { EmulatorContext, Exchange } from '../emulator-context.ts'
import { modelInfos } from './models.ts'

const defaultLimit = 20
const maxLimit = 1000

/** `GET /v1/models`: returns a page of models. */
export async function listModels(
  { now }: EmulatorContext,
  { request, requestId }: Exchange,
): Promise<Response> {
  const query = new URL(request.url).searchParams
  const limit = readLimit(query.get('limit'))
  const after = positionOf(query.get('after_id'))
  const before = positionOf(query.get('before_id'))
  const start = after === undefined ? Math.max(0, (before ?? limit) - limit) : after + 1
  const end = Math.min(start + limit, before ?? modelInfos.length)
  const data = modelInfos.slice(start, end)
  const hasMore = before === undefined ? end < modelInfos.length : start > 0
  const page = { data, has_more: hasMore, first_id: idOf(data[0]), last_id: idOf(data.at(-1)) }
  return Response.json(page, { headers: toApiHeaders(requestId, now()) })
}

/** `GET /v1/models/{id}`: returns one model. */
export async function findModel(
  { now }: EmulatorContext,
  { request, requestId }: Exchange,
): Promise<Response> {
  const id = decodeURIComponent(new URL(request.url).pathname.split('/').at(-1) ?? '')
  const found = modelInfos.find((model) => model['id'] === id)
  const headers = toApiHeaders(requestId, now())
  if (found !== undefined) return Response.json(found, { headers })
  return toErrorResponse(
    { type: 'not_found_error', message: `model: ${id}` },
    { requestId, headers },
  )
}

function readLimit(text: string | null): number {
  const limit = Number(text ?? defaultLimit)
  if (Number.isInteger(limit) && limit >= 1 && limit <= maxLimit) return limit
  throw new MillraceError('bad_request', `limit: must be a whole number from 1 to ${maxLimit}`)
}

function positionOf(id: string | null): number | undefined {
  if (id === null) return undefined
  const position = modelInfos.findIndex((model) => model['id'] === id)
  return position < 0 ? undefined : position
}

function idOf(model: JsonObject | undefined): string | null {
  return model === undefined ? null : String(model['id'])
}
