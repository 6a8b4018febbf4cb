import { MillraceError } from '../../errors/index.ts'
import type { MessageKey } from '../commands/receipts.ts'
import { checkFiles, type SentFile, toFileResponse } from '../files/check-files.ts'
import { type Caller, toCaller } from '../access/caller.ts'
import { checkAccess } from '../access/check-access.ts'
import { SHARE_FILE } from '../access/shares.ts'
import type { ServerContext } from '../server-context.ts'
import { digestBytes, keyHeader, readSessionKey } from '../requests/message-key.ts'
import type { UploadForm } from '../requests/request-bodies.ts'
import { isFileHidden } from '../views/viewed-answers.ts'
import { findUsedSession } from '../sessions/load-session.ts'
import { requestSchemas, sessionParameter, type LazyParameter } from '../requests/decode-body.ts'
import { answerSchemas, commandErrors, defineRoute, type RouteInput } from './route.ts'

/** Stores files for the prompts of a session. */
export const uploadRoute = defineRoute({
  method: 'POST',
  path: '/agent/upload',
  summary: 'Stores files for a session, so that its prompts can reference them.',
  body: { type: 'multipart/form-data', schema: async () => (await requestSchemas()).uploadForm },
  headers: keyHeader,
  answer: {
    description: 'The session, and the files with their ids.',
    content: async () => (await answerSchemas()).uploadAnswer,
  },
  errors: [...commandErrors, 'lease_lost', 'conflict', 'too_many_requests'],
  handle: async (context, { request, body }) => {
    const { runs, limits, createId, now } = context
    const { owner } = await checkAccess(context, request, 'upload', body.agent_uuid)
    const files = await checkFiles(body.files, limits)
    const session = body.agent_uuid ?? createId()
    const key = await readUploadKey(toCaller(context, request), body, files)
    const kept = await runs.upload(session, { files, owner, key })
    const createdAt = new Date(now()).toISOString()
    const views = kept.map(({ id, filename, mediaType, bytes }) => ({
      id,
      filename,
      mime_type: mediaType,
      size_bytes: bytes.length,
      created_at: createdAt,
      downloadable: true,
    }))
    return Response.json({ agent_uuid: session, files: views })
  },
})

/** Reads the key of an upload, with the digest of its files. [CMD-2] */
async function readUploadKey(
  caller: Caller,
  { message_id, agent_uuid }: UploadForm,
  files: readonly SentFile[],
): Promise<MessageKey | undefined> {
  const digests = files.map(async ({ filename, mediaType, bytes }) => [
    filename,
    mediaType,
    await digestBytes(bytes),
  ])
  const content = { message_id, agent_uuid, files: await Promise.all(digests), type: 'upload' }
  return readSessionKey(caller, content)
}

const fileErrors = ['bad_request', 'not_found', 'store_unavailable'] as const

const imageParameter: LazyParameter = {
  schema: async () => (await requestSchemas()).imageId,
  meaning: 'the id of an image, as in `tool_result_image`',
}

const fileParameter: LazyParameter = {
  schema: async () => (await requestSchemas()).fileId,
  meaning: 'the id of a file, as in `meta_files` or the response of POST /agent/upload',
}

/** Returns an image of a tool result. [CHUNK-7] */
export const imageRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}/images/{id}',
  summary: 'Returns an image of a tool result, as referenced by `tool_result_image`.',
  parameters: { uuid: sessionParameter, id: imageParameter },
  answer: { description: 'The image.', content: 'file' },
  errors: fileErrors,
  handle: sendFile,
})

/** Returns a file that was uploaded, or created by a provider. */
export const fileRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}/files/{id}',
  summary: 'Returns a file that was uploaded, or created in a run, as a download.',
  parameters: { uuid: sessionParameter, id: fileParameter },
  answer: { description: 'The file.', content: 'file' },
  errors: fileErrors,
  handle: sendFile,
})

/** Returns a file, unless the field of the stream that references it is hidden. */
async function sendFile(
  context: ServerContext,
  { request, path: { uuid: session = '', id = '' } }: RouteInput<undefined, undefined>,
): Promise<Response> {
  await checkAccess(context, request, 'read', session)
  const rules = await context.viewOf(request, session)
  const file =
    id === SHARE_FILE || isFileHidden(rules, id) ? undefined : await context.store.file(session, id)
  if (file !== undefined) return toFileResponse(file)
  // The same response as for a session of another owner. [SES-6]
  await findUsedSession(context.store, session)
  throw new MillraceError(
    'not_found',
    `Session ${session} has no file ${id}; check both ids, or it may have been removed with its session.`,
  )
}
