import { isMillraceError } from '../../errors/index.ts'
import type { EndedRun } from '../../server/index.ts'

/** An error as a log describes it. */
interface DescribedError {
  readonly type: string
  readonly code?: string
  readonly status?: number
  readonly message?: string
  /** The provider's text, if readers received a shorter one. */
  readonly original?: string
  /** The frames of the stack, without the message. */
  readonly frames?: readonly string[]
  readonly cause?: DescribedError
}

interface DescribeErrorOptions {
  /** Whether to include messages that may repeat text of users, models or tools. */
  readonly hasContent: boolean
  /** Masks and truncates a text for the log. */
  readonly toText: (text: string) => string
}

const maxCauses = 3
const maxFrames = 10

/** Codes whose messages are fixed texts without content of requests. */
const ownCodes: ReadonlySet<string> = new Set([
  'internal',
  'lease_lost',
  'log_truncated',
  'overloaded',
  'store_unavailable',
])

/** Describes an error with its causes. Messages often repeat their input, including prompts and keys. */
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
  const hasMessage = hasContent || (isMillraceError(error) && ownCodes.has(error.code))
  const frames = framesOf(error)
  const cause = depth < maxCauses ? error.cause : undefined
  return {
    type: toWord(error.name) ?? 'Error',
    ...(code !== undefined && { code: toText(code) }),
    ...(status !== undefined && { status }),
    ...(hasMessage && { message: toText(error.message) }),
    ...(frames.length > 0 && { frames: frames.map(toText) }),
    ...(cause !== undefined && { cause: describeError(cause, options, depth + 1) }),
  }
}

/** Describes the failure of a run, as in its stream; the message may come from a provider. */
export function describeFailure(
  { type, code, message, original }: NonNullable<EndedRun['error']>,
  { hasContent, toText }: DescribeErrorOptions,
): DescribedError {
  const hasMessage = hasContent || ownCodes.has(code)
  return {
    type: toText(toWord(type) ?? 'unknown'),
    ...(code !== type && { code }),
    ...(hasMessage && { message: toText(message) }),
    ...(hasMessage && original !== undefined && { original: toText(original) }),
  }
}

function codeOf(error: Error): string | undefined {
  if ('code' in error && typeof error.code === 'string') return toWord(error.code)
  // The message of Redis begins with a code: `READONLY You can't write against a read only replica.`
  return error.name === 'ReplyError' ? /^[A-Z]{2,20}\b/.exec(error.message)?.[0] : undefined
}

function toWord(text: string): string | undefined {
  return /^[A-Za-z][\w$.-]{0,63}$/.test(text) ? text : undefined
}

/** Returns the frames of a stack; none if the message, which may look like frames, cannot be separated. */
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
