import { MillraceError } from '../errors/index.ts'
import type { Tool } from '../tools/index.ts'
import type { McpToolAnnotations } from './listed-tool.ts'

/** What is taken from a server, and how its tools are run. */
export interface McpOptions {
  /** The only tools that are offered, by the server's names for them. */
  readonly allow?: readonly string[]
  /** Tools that are not offered. */
  readonly deny?: readonly string[]
  /** Whether a call needs approval; by default every call does, or with `trustAnnotations` all but read-only ones. */
  readonly needsApproval?:
    | boolean
    | ((toolName: string, annotations: McpToolAnnotations) => boolean)
  /** Believes what tools say of themselves: those that call themselves read-only need no approval and may be repeated. */
  readonly trustAnnotations?: boolean
  /** Refuses calls of a tool whose description or schema has changed since it was listed for the agent; true if not said. */
  readonly pinTools?: boolean
  /** How long a call may take; `Infinity` for no limit. */
  readonly timeoutMs?: number
  /** How long the server may take to be ready, and to list its tools. */
  readonly connectTimeoutMs?: number
  /** A server that offers more is refused: a model chooses badly from very many tools. */
  readonly maxTools?: number
  /** Tools with a longer input schema, as JSON, are left out. */
  readonly maxSchemaChars?: number
  /** A larger message closes the connection. */
  readonly maxMessageBytes?: number
  /** More messages that were not asked for, progress included, close the connection. */
  readonly maxNotificationsPerMinute?: number
  /** Longer results are cut, in UTF-16 units of text. */
  readonly maxResultChars?: number
  /** Further images of a result are left out, and further documents. */
  readonly maxImages?: number
  /** Larger images and documents are left out, in characters of base64. */
  readonly maxImageChars?: number
  /** Hears that the server has changed its tools. */
  readonly onToolsChanged?: (tools: readonly Tool[]) => void
}

/** Bounds on what a result may hold. */
export interface ResultLimits {
  readonly maxResultChars: number
  readonly maxImages: number
  readonly maxImageChars: number
}

/** The options, each with a value. */
export type McpSettings = Required<McpOptions>

const limits = [
  ...(['timeoutMs', 'connectTimeoutMs', 'maxTools', 'maxSchemaChars', 'maxResultChars'] as const),
  ...(['maxImages', 'maxImageChars', 'maxMessageBytes', 'maxNotificationsPerMinute'] as const),
] as const

/** Fills in the defaults; refuses unknown options and limits that are not above 0. */
export function toSettings(options: McpOptions): McpSettings {
  const unknown = Object.keys(options).find(
    (name) => !Object.hasOwn(fixed, name) && !optional(name),
  )
  if (unknown !== undefined) {
    throw new MillraceError('bad_request', `\`mountMcp\` has no option \`${unknown}\`.`)
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const { trustAnnotations = false } = options
  const settings: McpSettings = {
    ...fixed,
    trustAnnotations,
    needsApproval: trustAnnotations ? (_toolName, { readOnlyHint }) => readOnlyHint !== true : true,
    ...Object.fromEntries(given),
  }
  const wrong = limits.find((limit) => !(settings[limit] > 0))
  if (wrong === undefined) return settings
  throw new MillraceError('bad_request', `\`${wrong}\` must be a number above 0.`)
}

function optional(name: string): boolean {
  return name === 'needsApproval' || name === 'trustAnnotations'
}

const fixed: Omit<McpSettings, 'needsApproval' | 'trustAnnotations'> = {
  allow: [],
  deny: [],
  pinTools: true,
  timeoutMs: 300_000,
  connectTimeoutMs: 30_000,
  maxTools: 128,
  maxSchemaChars: 50_000,
  maxMessageBytes: 33_554_432,
  maxNotificationsPerMinute: 10_000,
  maxResultChars: 100_000,
  maxImages: 10,
  // 5 MB, the largest image that the Messages API takes.
  maxImageChars: 7_000_000,
  onToolsChanged: () => {},
}
