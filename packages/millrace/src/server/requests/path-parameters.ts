import { z } from 'zod'
import { MillraceError } from '../../errors/index.ts'
import { chatId } from '../ai-sdk/chat-body.ts'
import { messageIdPattern } from './message-key.ts'
import { sessionId } from './request-bodies.ts'

/** A parameter in a path. */
export interface PathParameter {
  readonly schema: z.ZodType<string>
  /** Its meaning, for errors. */
  readonly meaning: string
}

/** The id of a session in a path. */
export const sessionParameter: PathParameter = {
  schema: sessionId,
  meaning: 'the id of a session, which is a UUID',
}

/** The id of an image in a path. */
export const imageParameter: PathParameter = {
  schema: z.string().regex(/^img_[0-9a-f]{12,32}$/),
  meaning: 'the id of an image, as in `tool_result_image`',
}

/** The id of a file in a path. */
export const fileParameter: PathParameter = {
  schema: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/),
  meaning: 'the id of a file, as in `meta_files` or the response of POST /agent/upload',
}

/** The key of a prompt in a path. */
export const messageParameter: PathParameter = {
  schema: z.string().regex(messageIdPattern),
  meaning: 'the key of a prompt, as in `queue` of GET /agent/{uuid}',
}

/** The id of a chat in a path. */
export const chatParameter: PathParameter = {
  schema: chatId,
  meaning: 'the id of a chat, of 1 to 256 characters',
}

/** Validates a path parameter. */
export function decodeParameter({ schema, meaning }: PathParameter, text: string): string {
  const { success, data } = schema.safeParse(text)
  if (success) return data
  throw new MillraceError('bad_request', `${JSON.stringify(text.slice(0, 80))} is not ${meaning}.`)
}
