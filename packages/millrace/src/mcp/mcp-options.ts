import { badRequest, checkOptions, type OptionTypes } from '../errors/index.ts'
import type { Tool } from '../tools/index.ts'
import type { McpToolAnnotations } from './listed-tool.ts'

/** Options of {@link mountMcp}. */
export interface McpOptions {
  /** The only tools to offer, by their names on the server. */
  readonly allow?: readonly string[]
  /** Tools to hide, by their names on the server. */
  readonly deny?: readonly string[]
  /** Whether a call needs approval. Default: every call; with `trustAnnotations`, every call that is not read-only. */
  readonly needsApproval?:
    | boolean
    | ((toolName: string, annotations: McpToolAnnotations) => boolean)
  /** Trusts annotations: read-only tools need no approval, and read-only or idempotent tools may be repeated. */
  readonly trustAnnotations?: boolean
  /** Rejects calls of a tool whose description or schema has changed since it was listed for the agent. Default: true. */
  readonly pinTools?: boolean
  /** Timeout of a call; `Infinity` disables it. */
  readonly timeoutMs?: number
  /** Timeout for connecting, and for listing the tools. */
  readonly connectTimeoutMs?: number
  /** Maximum number of tools. A server with more is rejected, because models choose badly from very many tools. */
  readonly maxTools?: number
  /** Maximum length of an input schema as JSON. Tools with a longer one are hidden. */
  readonly maxSchemaChars?: number
  /** Maximum size of a message. A larger one closes the connection. */
  readonly maxMessageBytes?: number
  /** Maximum number of unrequested messages in a minute, progress included. More close the connection. */
  readonly maxNotificationsPerMinute?: number
  /** Maximum length of a result in UTF-16 units. A longer one is truncated. */
  readonly maxResultChars?: number
  /** Maximum number of images and of documents in a result. Further ones are dropped. */
  readonly maxImages?: number
  /** Maximum size of an image or document in base64 characters. Larger ones are dropped. */
  readonly maxImageChars?: number
  /** Receives the new tools when the server has changed them. */
  readonly onToolsChanged?: (tools: readonly Tool[]) => void
}

/** The bounds of one result. */
export interface ResultLimits {
  readonly maxResultChars: number
  readonly maxImages: number
  readonly maxImageChars: number
}

/** The options with defaults applied. */
export type McpSettings = Required<McpOptions>

const limits = [
  ...(['timeoutMs', 'connectTimeoutMs', 'maxTools', 'maxSchemaChars', 'maxResultChars'] as const),
  ...(['maxImages', 'maxImageChars', 'maxMessageBytes', 'maxNotificationsPerMinute'] as const),
] as const

const types: OptionTypes<McpOptions> = {
  allow: 'list',
  deny: 'list',
  needsApproval: 'any',
  trustAnnotations: 'boolean',
  pinTools: 'boolean',
  timeoutMs: 'number',
  connectTimeoutMs: 'number',
  maxTools: 'number',
  maxSchemaChars: 'number',
  maxMessageBytes: 'number',
  maxNotificationsPerMinute: 'number',
  maxResultChars: 'number',
  maxImages: 'number',
  maxImageChars: 'number',
  onToolsChanged: 'function',
}

/** Applies the defaults. Throws `bad_request` for unknown options and limits that are not above 0. */
export function toSettings(options: McpOptions): McpSettings {
  checkOptions('mountMcp', options, types)
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
  throw badRequest(`\`${wrong}\` must be a number above 0.`)
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
  // 5 MB, the maximum image size of the Messages API.
  maxImageChars: 7_000_000,
  onToolsChanged: () => {},
}
