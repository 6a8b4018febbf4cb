import { z } from 'zod'
import { MillraceError } from '../../errors/index.ts'
import { chatId } from '../ai-sdk/chat-body.ts'
import { messageIdPattern } from './message-key.ts'
import { sessionId } from './request-bodies.ts'

/** A part of a path. */
export interface PathParameter {
  readonly schema: z.ZodType<string>
  /** What it must be, in words. */
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
  meaning: 'the id of an image, which a `tool_result_image` names',
}

/** The id of a file in a path. */
export const fileParameter: PathParameter = {
  schema: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/),
  meaning: 'the id of a file, which `meta_files` or POST /agent/upload names',
}

/** The key of a prompt in a path. */
export const messageParameter: PathParameter = {
  schema: z.string().regex(messageIdPattern),
  meaning: 'the key of a prompt, which GET /agent/{uuid} lists in `queue`',
}

/** The id of a chat in a path. */
export const chatParameter: PathParameter = {
  schema: chatId,
  meaning: 'the id of a chat, of 1 to 256 characters',
}

/** Reads a part of a path. */
export function decodeParameter({ schema, meaning }: PathParameter, text: string): string {
  const { success, data } = schema.safeParse(text)
  if (success) return data
  throw new MillraceError('bad_request', `${JSON.stringify(text.slice(0, 80))} is not ${meaning}.`)
}
