import { z } from 'zod'
import { badRequest } from '../../errors/index.ts'
import type { RouteParameter } from '../../protocols/port/index.ts'
import { messageIdPattern } from './message-key.ts'
import { sessionId } from './request-bodies.ts'

/** The id of a session in a path. */
export const sessionParameter: RouteParameter = {
  schema: sessionId,
  meaning: 'the id of a session, which is a UUID',
}

/** The id of an image in a path. */
export const imageParameter: RouteParameter = {
  schema: z.string().regex(/^img_[0-9a-f]{12,32}$/),
  meaning: 'the id of an image, as in `tool_result_image`',
}

/** The id of a file in a path. */
export const fileParameter: RouteParameter = {
  schema: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/),
  meaning: 'the id of a file, as in `meta_files` or the response of POST /agent/upload',
}

/** The key of a prompt in a path. */
export const messageParameter: RouteParameter = {
  schema: z.string().regex(messageIdPattern),
  meaning: 'the key of a prompt, as in `queue` of GET /agent/{uuid}',
}

/** Validates a path parameter. */
export async function decodeParameter(
  { schema, meaning }: RouteParameter,
  text: string,
): Promise<string> {
  const result = await schema['~standard'].validate(text)
  if (result.issues === undefined) return result.value
  throw badRequest(`${JSON.stringify(text.slice(0, 80))} is not ${meaning}.`)
}
