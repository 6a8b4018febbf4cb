import { toErrorResponse, toApiHeaders } from './api-error.ts'
import type { EmulatorContext, Exchange } from '../emulator-context.ts'
import type { ScriptedFile } from '../replies/scenario.ts'

/** `GET /v1/files/{id}`: returns the metadata of a file of a script. */
export async function findFile(context: EmulatorContext, exchange: Exchange): Promise<Response> {
  return withFile(context, exchange, ({ id, filename, mediaType, content, createdAt }, headers) =>
    Response.json(
      {
        type: 'file',
        id,
        filename,
        mime_type: mediaType,
        size_bytes: new TextEncoder().encode(content).length,
        created_at: createdAt ?? '2026-01-01T00:00:00Z',
        downloadable: true,
      },
      { headers },
    ),
  )
}

/** `GET /v1/files/{id}/content`: returns the content of a file of a script. */
export async function readFile(context: EmulatorContext, exchange: Exchange): Promise<Response> {
  return withFile(context, exchange, ({ content, mediaType }, headers) => {
    return new Response(content, { headers: { ...headers, 'content-type': mediaType } })
  })
}

function withFile(
  { scenarios, now }: EmulatorContext,
  { request, requestId }: Exchange,
  answer: (file: ScriptedFile, headers: Record<string, string>) => Response,
): Response {
  const id = decodeURIComponent(new URL(request.url).pathname.split('/')[3] ?? '')
  const file = scenarios.flatMap(({ files = [] }) => files).find((other) => other.id === id)
  const headers = toApiHeaders(requestId, now())
  if (file !== undefined) return answer(file, headers)
  return toErrorResponse(
    { type: 'not_found_error', message: `File not found: ${id}` },
    { requestId, headers },
  )
}
