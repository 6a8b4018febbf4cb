import { sessionUnknown, type StoredFile } from '../../port/index.ts'
import { presentAncestors } from '../branches/ancestors.ts'
import type { RedisContext } from '../create-redis-context.ts'
import { bytesAt, type Reply, statusOf, textAt, toReply, toTexts } from '../reply.ts'
import { putFile, sharedFile, sharedFileIds } from '../scripts/log.ts'
import { checkFileSize } from '../../remote/index.ts'

/** Stores a file of a session. */
export async function keepFile(
  { run, keys, lossDetector }: RedisContext,
  session: string,
  { id, mediaType, filename, bytes }: StoredFile,
  maxFileBytes: number,
): Promise<void> {
  checkFileSize(bytes, maxFileBytes)
  const { meta, files, filePrefix } = keys.session(session)
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const name = filename === undefined ? [] : [filename]
  const reply = await run(putFile, [meta, files, filePrefix + id], [id, mediaType, body, ...name])
  if (statusOf(reply) === 'ok') return
  await lossDetector.verify(session)
  throw sessionUnknown(session)
}

/** Reads a file of a session, or one that it shares. */
export async function findFile(
  context: RedisContext,
  session: string,
  id: string,
): Promise<StoredFile | undefined> {
  const { connection, run, keys } = context
  const key = keys.session(session).filePrefix + id
  const own = toFile(id, toReply(await connection.send('hmget', [key, 'type', 'name', 'bytes'])))
  if (own !== undefined) return own
  for (const { session: name, log, frame } of await presentAncestors(context, session)) {
    const [live, kept] = [keys.session(name), keys.kept(name, log)]
    const names = [live.meta, live.filePrefix + id, kept.meta, kept.filePrefix + id]
    const file = toFile(id, await run(sharedFile, names, [log, frame]))
    if (file !== undefined) return file
  }
  return undefined
}

/** Reads the ids of a session's files and of those that it shares. */
export async function listFileIds(
  context: RedisContext,
  session: string,
): Promise<readonly string[]> {
  const { connection, run, keys } = context
  const own = toReply(await connection.send('smembers', [keys.session(session).files]))
  const ancestors = await presentAncestors(context, session)
  const shared = await Promise.all(
    ancestors.map(({ session: name, log, frame }) => {
      const [live, kept] = [keys.session(name), keys.kept(name, log)]
      const names = [live.meta, live.files, kept.meta, kept.files]
      return run(sharedFileIds, names, [log, frame, live.filePrefix, kept.filePrefix])
    }),
  )
  return [...new Set([own, ...shared].flatMap(toTexts))]
}

function toFile(id: string, reply: Reply): StoredFile | undefined {
  const mediaType = textAt(reply, 0)
  const bytes = bytesAt(reply, 2)
  if (mediaType === undefined || bytes === undefined) return undefined
  const filename = textAt(reply, 1)
  return { id, mediaType, bytes, ...(filename !== undefined && { filename }) }
}
