import { isMillraceError } from '../../errors/index.ts'
import type { EndedRun } from '../../server/index.ts'

/** What a log says of an error. */
export interface DescribedError {
  readonly type: string
  readonly code?: string
  readonly status?: number
  readonly message?: string
  /** The text of a provider as it came, where readers were shown less of it. */
  readonly original?: string
  /** Where it was thrown, without its message. */
  readonly frames?: readonly string[]
  readonly cause?: DescribedError
}

/** What may be told of errors. */
export interface DescribeErrorOptions {
  /** Whether messages are told that may repeat what people, models and tools said. */
  readonly hasContent: boolean
  /** Makes a text fit for the log. */
  readonly toText: (text: string) => string
}

const maxCauses = 3
const maxFrames = 10

/** Codes whose messages are written here and say nothing of what goes through the server. */
const ownCodes: ReadonlySet<string> = new Set([
  'internal',
  'lease_lost',
  'log_truncated',
  'overloaded',
  'store_unavailable',
])

/** Describes an error with its causes. Messages tend to repeat what failed, prompts and keys included. */
export function describeError(
  error: unknown,
  options: DescribeErrorOptions,
  depth = 1,
): DescribedError {
  const { hasContent, toText } = options
  if (!(error instanceof Error)) {
    return { type: typeof error, ...(hasContent && { message: toText(String(error)) }) }
  }
  const code = codeOf(error)
  const status = 'status' in error && typeof error.status === 'number' ? error.status : undefined
  const isTold = hasContent || (isMillraceError(error) && ownCodes.has(error.code))
  const frames = framesOf(error)
  const cause = depth < maxCauses ? error.cause : undefined
  return {
    type: toWord(error.name) ?? 'Error',
    ...(code !== undefined && { code: toText(code) }),
    ...(status !== undefined && { status }),
    ...(isTold && { message: toText(error.message) }),
    ...(frames.length > 0 && { frames: frames.map(toText) }),
    ...(cause !== undefined && { cause: describeError(cause, options, depth + 1) }),
  }
}

/** Describes why a run failed, as its stream tells it; the message may be that of a provider. */
export function describeFailure(
  { type, code, message, original }: NonNullable<EndedRun['error']>,
  { hasContent, toText }: DescribeErrorOptions,
): DescribedError {
  const isTold = hasContent || ownCodes.has(code)
  return {
    type: toText(toWord(type) ?? 'unknown'),
    ...(code !== type && { code }),
    ...(isTold && { message: toText(message) }),
    ...(isTold && original !== undefined && { original: toText(original) }),
  }
}

function codeOf(error: Error): string | undefined {
  if ('code' in error && typeof error.code === 'string') return toWord(error.code)
  // Redis puts a code before its messages: `READONLY You can't write against a read only replica.`
  return error.name === 'ReplyError' ? /^[A-Z]{2,20}\b/.exec(error.message)?.[0] : undefined
}

function toWord(text: string): string | undefined {
  return /^[A-Za-z][\w$.-]{0,63}$/.test(text) ? text : undefined
}

/** The frames of a stack, if its message, which may look like frames, can be told apart from them. */
function framesOf({ stack = '', message }: Error): string[] {
  const start = message === '' ? 0 : stack.indexOf(message)
  if (start < 0) return []
  return stack
    .slice(start + message.length)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, maxFrames)
}
