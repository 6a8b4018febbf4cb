import { badRequest, MillraceError } from '../errors/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { keepSecrets } from './secrets/registered-secrets.ts'
import { urlProblem, type UrlRules } from './url-rules.ts'

/** Types of blocks that a document can contain. */
const innerTypes: ReadonlySet<unknown> = new Set(['text', 'image', 'document', 'search_result'])

/** Decides whether a session may send a provider's file id. */
export type AllowFileId = (fileId: string, session: string) => boolean | Promise<boolean>

/** Options of the outbound policy: content that clients may send to models, and values to mask. */
export interface OutboundOptions {
  /** URLs that clients may send; `false` rejects all. Default: `https:` on public hosts. */
  readonly urls?: UrlRules | false
  /**
   * File ids that clients may send: ids generated in the session (`session`, the default), all ids (`any`), or ids
   * that a function allows.
   */
  readonly fileIds?: 'session' | 'any' | AllowFileId
  /** Values of at least 8 characters that are always masked in error texts and logs. */
  readonly secrets?: readonly string[]
}

/** The session that the checked content belongs to. */
interface ContentOwner {
  readonly session: string
  /** Loads the file ids that a provider generated in the session. Called only if the content names a file id. */
  readonly madeFileIds: () => Promise<ReadonlySet<string>>
}

/** Creates the outbound policy of a server. Throws for unknown or invalid options. */
export function createOutboundPolicy(options: OutboundOptions = {}) {
  checkOptions(options)
  const { urls = {}, fileIds = 'session', secrets = [] } = options
  keepSecrets(secrets)
  return {
    /** Throws `bad_request` for a URL and `not_found` for a file id that the policy rejects. */
    async check(content: string | readonly SentBlock[], { session, madeFileIds }: ContentOwner) {
      if (typeof content === 'string') return
      const references = findReferences(content)
      for (const { kind, value, place } of references) {
        const problem = kind === 'url' ? problemOf(value, urls) : undefined
        if (problem !== undefined) throw urlRefused(place, problem)
      }
      const files = references.filter(({ kind }) => kind === 'file_id')
      if (files.length === 0 || fileIds === 'any') return
      const made = fileIds === 'session' ? await madeFileIds() : undefined
      for (const file of files) {
        const isAllowed =
          typeof fileIds === 'function' ? await fileIds(file.value, session) : made?.has(file.value)
        if (isAllowed !== true) throw fileRefused(file)
      }
    },
  }
}

function problemOf(url: string, rules: UrlRules | false): string | undefined {
  return rules === false ? 'is not allowed by this server' : urlProblem(url, rules)
}

function urlRefused(place: string, problem: string): MillraceError {
  return badRequest(
    `${place}: its URL ${problem}. Send the file itself, by POST /agent/upload or as base64.`,
  )
}

function fileRefused({ value, place }: SentReference): MillraceError {
  return new MillraceError(
    'not_found',
    `${place}: this session has no file ${JSON.stringify(value.slice(0, 80))}. Send it with POST /agent/upload, and the same agent_uuid.`,
  )
}

const optionNames: Readonly<Record<keyof OutboundOptions, true>> = {
  urls: true,
  fileIds: true,
  secrets: true,
}

const urlRuleNames: Readonly<Record<keyof UrlRules, true>> = {
  http: true,
  privateHosts: true,
  hosts: true,
}

function checkOptions({ urls, fileIds, secrets, ...rest }: OutboundOptions): void {
  checkNames('outbound', rest, optionNames)
  if (urls !== undefined && urls !== false) checkUrlRules(urls)
  const isKnown = fileIds === undefined || fileIds === 'session' || fileIds === 'any'
  if (!isKnown && typeof fileIds !== 'function') {
    throw badOption('outbound.fileIds must be "session", "any" or a function')
  }
  if (secrets !== undefined && !isTextList(secrets)) {
    throw badOption('outbound.secrets must be a list of strings')
  }
}

function checkUrlRules(rules: UrlRules): void {
  if (typeof rules !== 'object' || rules === null) {
    throw badOption('outbound.urls must be an object or false')
  }
  const { http, privateHosts, hosts, ...rest } = rules
  checkNames('outbound.urls', rest, urlRuleNames)
  for (const [name, value] of Object.entries({ http, privateHosts })) {
    if (value !== undefined && typeof value !== 'boolean') {
      throw badOption(`outbound.urls.${name} must be true or false`)
    }
  }
  if (hosts !== undefined && !isTextList(hosts)) {
    throw badOption('outbound.urls.hosts must be a list of host names')
  }
}

function checkNames(owner: string, rest: object, known: object): void {
  const [unknown] = Object.keys(rest)
  if (unknown === undefined) return
  throw badOption(`${owner}.${unknown} is unknown; use one of ${Object.keys(known).join(', ')}`)
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function badOption(problem: string): MillraceError {
  return badRequest(`${problem}.`)
}

/** A block of a prompt or a result as received from a client. */
type SentBlock = JsonObject & { readonly type: string }

/** A reference that the provider resolves: a URL, or the id of a file that it stores. */
interface SentReference {
  readonly kind: 'url' | 'file_id'
  readonly value: string
  /** The block that holds the reference, as named in errors. */
  readonly place: string
}

/**
 * Finds all references in the blocks of a client, at any depth. Adapters read the members of a source without regard
 * to its type, so each member counts everywhere.
 */
function findReferences(blocks: readonly SentBlock[]): readonly SentReference[] {
  return blocks.flatMap((block, index) => inBlock(block, `Block ${index + 1} (${block.type})`))
}

function inBlock(block: JsonObject, place: string): readonly SentReference[] {
  const { type, source, content } = block
  if (type === 'text') return []
  return [...inSource(source, place), ...inContent(content, place)]
}

function inSource(source: JsonValue | undefined, place: string): readonly SentReference[] {
  if (!isJsonObject(source)) return []
  const { url, file_id: id, content } = source
  return [
    ...toReference('url', url, place),
    ...toReference('file_id', id, place),
    ...inContent(content, place),
  ]
}

function toReference(
  kind: SentReference['kind'],
  value: JsonValue | undefined,
  place: string,
): readonly SentReference[] {
  if (value === undefined) return []
  if (typeof value === 'string') return [{ kind, value, place }]
  throw badRequest(`${place}: \`source.${kind}\` must be text.`)
}

function inContent(content: JsonValue | undefined, place: string): readonly SentReference[] {
  if (!isJsonArray(content)) return []
  return content.flatMap((inner) => {
    if (isJsonObject(inner) && innerTypes.has(inner['type'])) return inBlock(inner, place)
    const types = [...innerTypes].join(', ')
    throw badRequest(`${place}: its content holds an unsupported block; use only ${types}.`)
  })
}
