import { MillraceError } from '../errors/index.ts'
import type { Tool } from '../tools/index.ts'
import type { McpToolAnnotations } from './listed-tool.ts'

/** What is taken from a server, and how its tools are run. */
export interface McpOptions {
  /** The only tools that are offered, by the server's names for them. */
  readonly allow?: readonly string[]
  /** Tools that are not offered. */
  readonly deny?: readonly string[]
  /**
   * Whether a person must agree before a tool runs; by default for every tool that does not call itself read-only.
   * What a tool says of itself is as trustworthy as its server.
   */
  readonly needsApproval?:
    | boolean
    | ((toolName: string, annotations: McpToolAnnotations) => boolean)
  /** How long a call may take; `Infinity` for no limit. */
  readonly timeoutMs?: number
  /** How long the server may take to be ready, and to list its tools. */
  readonly connectTimeoutMs?: number
  /** A server that offers more is refused: a model chooses badly from very many tools. */
  readonly maxTools?: number
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

const limits = ['timeoutMs', 'connectTimeoutMs', 'maxTools', 'maxResultChars'] as const

/** Fills in what was not said, and refuses limits that mean nothing. */
export function toSettings(options: McpOptions): McpSettings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const settings: McpSettings = { ...defaults, ...Object.fromEntries(given) }
  const wrong = limits.find((limit) => !(settings[limit] > 0))
  if (wrong === undefined) return settings
  throw new MillraceError('bad_request', `\`${wrong}\` must be a number above 0.`)
}

const defaults: McpSettings = {
  allow: [],
  deny: [],
  needsApproval: (_toolName, { readOnlyHint }) => readOnlyHint !== true,
  timeoutMs: 300_000,
  connectTimeoutMs: 30_000,
  maxTools: 128,
  maxResultChars: 100_000,
  maxImages: 10,
  // 5 MB, the largest image that the Messages API takes.
  maxImageChars: 7_000_000,
  onToolsChanged: () => {},
}
