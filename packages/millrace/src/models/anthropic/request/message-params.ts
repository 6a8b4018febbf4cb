import type { MessageCreateParamsStreaming as BetaParams } from '@anthropic-ai/sdk/resources/beta/messages'
import type { MessageCreateParamsStreaming, ToolUnion } from '@anthropic-ai/sdk/resources/messages'
import type {
  CachePlan,
  ContentBlock,
  Message,
  ModelRequest,
  ToolChoice,
  ToolSchema,
} from '../../../events/index.ts'
import { isJsonObject } from '../../../json/index.ts'

/** The cache mark of the API: caches everything up to this block. */
const cacheMark = { cache_control: { type: 'ephemeral' } } as const

/** Parameters that the library sets in every request. */
type OwnParam = 'model' | 'messages' | 'stream' | 'betas'

/** Parameters of the Messages API for every request: `thinking`, `tool_choice`, server tools and others. */
export type ExtraParams = Partial<
  Omit<MessageCreateParamsStreaming, OwnParam> | Omit<BetaParams, OwnParam>
>

/** Creates the body of a request. Tools of `extra` follow those of the request; cache marks of `extra` replace the plan. */
export function toMessageParams(
  modelId: string,
  request: ModelRequest,
  extra: ExtraParams,
): MessageCreateParamsStreaming {
  const { messages, system, tools = [], maxTokens, toolChoice, container } = request
  const plan = hasOwnMarks(extra) ? {} : (request.cache ?? {})
  const offered = [...toTools(tools, plan), ...(extra.tools ?? [])]
  const params = {
    max_tokens: maxTokens,
    ...(system === undefined ? {} : { system: toSystem(system, plan) }),
    ...extra,
    ...(offered.length === 0 ? {} : { tools: offered }),
    ...(toolChoice === undefined || offered.length === 0
      ? {}
      : { tool_choice: toToolChoice(toolChoice) }),
    ...(container === undefined ? {} : { container: toContainer(container, extra) }),
    model: modelId,
    messages: removeForeign(markMessages(messages, plan)),
    stream: true,
  }
  // The type lacks beta parameters and new blocks, which are sent unchanged.
  return params as unknown as MessageCreateParamsStreaming
}

/** Converts a tool choice to the names of the API. */
function toToolChoice(choice: ToolChoice): MessageCreateParamsStreaming['tool_choice'] {
  if (typeof choice === 'object') return { type: 'tool', name: choice.tool }
  return { type: choice === 'required' ? 'any' : choice }
}

/** Checks for cache marks in fixed parameters. The API accepts four marks in total, so they replace the plan. */
function hasOwnMarks({ cache_control: whole, system, tools = [] }: ExtraParams): boolean {
  const parts = [...(Array.isArray(system) ? system : []), ...tools]
  const isMarked = (part: unknown) => isJsonObject(part) && part['cache_control'] != null
  return whole != null || parts.some(isMarked)
}

function toSystem(text: string, { system: isMarked = false }: CachePlan): object | string {
  return isMarked && text.trim() !== '' ? [{ type: 'text', text, ...cacheMark }] : text
}

function toTools(
  tools: readonly ToolSchema[],
  { tools: isMarked = false }: CachePlan,
): ToolUnion[] {
  const last = isMarked ? tools.length - 1 : -1
  return tools.map((tool, index) => ({ ...toTool(tool), ...(index === last && cacheMark) }))
}

function toTool({ name, description, inputSchema }: ToolSchema): ToolUnion {
  return { name, description, input_schema: { ...inputSchema, type: 'object' } }
}

/** Returns the current container id, with the configured skills. */
function toContainer(id: string, { container: given }: ExtraParams): object | string {
  return typeof given === 'object' && given !== null ? { ...given, id } : id
}

/** Adds marks to the blocks of a plan. Other messages keep their identity. */
function markMessages(
  messages: readonly Message[],
  { blocks = [] }: CachePlan,
): readonly Message[] {
  if (blocks.length === 0) return messages
  const marked = [...messages]
  for (const { message: index, block } of blocks) {
    const message = marked[index]
    if (message !== undefined) marked[index] = markBlock(message, block)
  }
  return marked
}

function markBlock(message: Message, place: number): Message {
  const content = message.content.map((block, index) =>
    index === place && takesMark(block) ? { ...block, ...cacheMark } : block,
  )
  return { ...message, content }
}

/** Checks for a block that can carry a mark. A plan may be outdated, and the API rejects a mark on thinking or blank text. */
function takesMark({ type, text }: ContentBlock): boolean {
  if (type === 'text') return typeof text === 'string' && text.trim() !== ''
  return type !== 'thinking' && type !== 'redacted_thinking'
}

/** Model families up to Claude 4.5. Later ones reject a request that ends with an answer. */
const prefillModels = /^claude-(?:[23][-.]|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8})?$)/

/** Checks whether a model accepts a prefilled answer. */
export function takesPrefill(modelId: string): boolean {
  return prefillModels.test(modelId)
}

/** Creates the request that continues a model's text by prefill. Returns undefined if the API would reject it. */
export function toPrefilled(
  request: ModelRequest,
  content: readonly ContentBlock[],
): ModelRequest | undefined {
  const { messages, tools = [] } = request
  const last = content.at(-1)
  if (tools.length > 0 || last?.type !== 'text' || messages.at(-1)?.role === 'assistant')
    return undefined
  return { ...request, messages: [...messages, { role: 'assistant', content: trimLast(content) }] }
}

/** Removes trailing white space from a prefilled answer, which the API would reject. */
export function trimLast(content: readonly ContentBlock[]): readonly ContentBlock[] {
  const last = content.at(-1)
  if (last === undefined) return content
  return [...content.slice(0, -1), { ...last, text: String(last['text']).trimEnd() }]
}

/** The field with data of chat completions models that only their provider understands. */
const FOREIGN = 'openai'

/**
 * Converts messages for the Messages API: a conversation with another provider's model has fields that it rejects,
 * and thinking without signatures. Unaffected messages keep their identity.
 */
export function removeForeign(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(isForeign)) return messages
  return messages
    .map((message) => (isForeign(message) ? toOwn(message) : message))
    .filter(({ content }) => content.length > 0)
}

function isForeign({ content }: Message): boolean {
  return content.some((block) => FOREIGN in block)
}

function toOwn({ role, content }: Message): Message {
  const kept = content.filter((block) => !(FOREIGN in block && block.type === 'thinking'))
  return { role, content: kept.map(dropForeign) }
}

/** Removes another provider's fields from a block. A block without such fields keeps its identity. */
export function dropForeign(block: ContentBlock): ContentBlock {
  if (!(FOREIGN in block)) return block
  const { [FOREIGN]: _, ...own } = block
  return own
}
