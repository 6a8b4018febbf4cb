import { type JsonObject, MillraceError } from 'millrace'
import { toApiHeaders, toErrorResponse } from './api-error.ts'
import type { EmulatorContext, Exchange } from '../emulator-context.ts'

/** The models of the API at the time of writing, newest first, and the emulator's own model. */
const modelIds = [
  'claude-fable-5-2',
  'claude-mythos-5-2',
  'claude-haiku-5-5',
  'claude-sonnet-5-5',
  'claude-fable-5-1',
  'claude-opus-5-5',
  'claude-mythos-5-1',
  'claude-sonnet-5',
  'claude-fable-5',
  'claude-mythos-5',
  'claude-opus-5',
  'claude-opus-4-8',
  'claude-opus-4-7',
  'claude-opus-4-6',
  'claude-sonnet-4-6',
  'claude-haiku-4-5',
  'claude-opus-4-5',
  'claude-sonnet-4-5',
  'emulator',
]

/** The families up to 4.5, which continue a prefilled assistant message. */
const prefillModels = /^claude-(?:[23][-.]|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8})?$)/

/** Checks whether a model accepts a prefilled assistant message. */
export function takesPrefill(modelId: string): boolean {
  return prefillModels.test(modelId)
}

/** All models in the format of the Models API. */
export const modelInfos: readonly JsonObject[] = modelIds.map((id) => {
  const [, line = null, version = ''] = /^claude-([a-z]+)-([\d-]+)$/.exec(id) ?? []
  return {
    type: 'model',
    id,
    display_name:
      line === null ? 'Emulator' : `Claude ${capital(line)} ${version.replaceAll('-', '.')}`,
    // The API sends this date for a model whose release date is unknown.
    created_at: '1970-01-01T00:00:00Z',
    line,
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    max_input_tokens: null,
    max_tokens: null,
    capabilities: null,
  }
})

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

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
