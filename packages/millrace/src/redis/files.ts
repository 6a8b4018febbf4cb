import { sessionUnknown, type StoredFile } from '../store/index.ts'
import type { RedisContext } from './redis-context.ts'
import { bytesAt, textAt, toReply } from './reply.ts'
import { putFile } from './scripts/index.ts'
import { statusOf } from './session-state.ts'
import { fileTooLarge } from './store-errors.ts'

/** Keeps a file of a session. */
export async function keepFile(
  { run, keys, witness }: RedisContext,
  session: string,
  { id, mediaType, filename, bytes }: StoredFile,
  maxFileBytes: number,
): Promise<void> {
  if (bytes.length > maxFileBytes) throw fileTooLarge(bytes.length, maxFileBytes)
  const { meta, files, filePrefix } = keys.session(session)
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const name = filename === undefined ? [] : [filename]
  const reply = await run(putFile, [meta, files, filePrefix + id], [id, mediaType, body, ...name])
  if (statusOf(reply) === 'ok') return
  await witness.doubt(session)
  throw sessionUnknown(session)
}

/** Finds a file of a session. */
export async function findFile(
  { connection, keys }: RedisContext,
  session: string,
  id: string,
): Promise<StoredFile | undefined> {
  const key = keys.session(session).filePrefix + id
  const reply = toReply(await connection.send('hmget', [key, 'type', 'name', 'bytes']))
  const mediaType = textAt(reply, 0)
  const bytes = bytesAt(reply, 2)
  if (mediaType === undefined || bytes === undefined) return undefined
  const filename = textAt(reply, 1)
  return { id, mediaType, bytes, ...(filename !== undefined && { filename }) }
}

/** The ids of all files of a session. */
export async function listFileIds(
  { connection, keys }: RedisContext,
  session: string,
): Promise<readonly string[]> {
  const reply = toReply(await connection.send('smembers', [keys.session(session).files]))
  return reply.map((_, index) => textAt(reply, index) ?? '')
}
