import { createPage, dataLines, openBlock, type Page, type ShownBlock } from './page.ts'

/** The thirteen types of the document; a client without support for others ignores them. */
const knownTypes = new Set([
  'meta_init',
  'meta_final',
  'thinking',
  'text',
  'citation',
  'tool_call',
  'server_tool_call',
  'tool_result',
  'tool_result_image',
  'server_tool_result',
  'awaiting_frontend_tools',
  'meta_files',
  'error',
])

interface Message {
  readonly type: string
  readonly agent: string
  readonly final: boolean
  readonly delta: string
  readonly [field: string]: unknown
}

/** A client of seed 001: one open block for each agent and type, and nothing else. */
export interface JsonClient {
  readonly page: Page
  /** Takes the payload of one `data:` line. */
  push(data: string): void
}

/** Creates a client for one stream. */
export function createJsonClient(): JsonClient {
  const page = createPage()
  const open = new Map<string, ShownBlock>()
  const keyOf = (agent: string, type: string): string => JSON.stringify([agent, type])

  function attach({ agent, type, final: _final, delta, ...fields }: Message): void {
    if (type === 'tool_result_image') {
      const result = open.get(keyOf(agent, 'tool_result'))
      result?.images.push({ src: String(fields['src']), mediaType: String(fields['media_type']) })
      return
    }
    const texts = (page.agents.get(agent) ?? []).filter((block) => block.type === 'text')
    const completed = texts.findLast((block) => block.isDone)
    completed?.citations.push({ ...fields, cited_text: delta })
  }

  function append({ agent, type, final, delta, ...fields }: Message): void {
    const key = keyOf(agent, type)
    const block = open.get(key) ?? openBlock(page, agent, type)
    open.set(key, block)
    Object.assign(block.fields, fields)
    block.content += delta
    if (!final) return
    block.isDone = true
    open.delete(key)
    if (type === 'awaiting_frontend_tools') page.pending = JSON.parse(block.content)
    if (type === 'error') page.errors.push(JSON.parse(block.content))
  }

  return {
    page,
    push(data) {
      if (data === '[DONE]') {
        page.isDone = true
        return
      }
      const message = JSON.parse(data) as Message
      if (!knownTypes.has(message.type)) return
      const isAttached = message.type === 'citation' || message.type === 'tool_result_image'
      if (isAttached) attach(message)
      else append(message)
    },
  }
}

/** Reads a whole body of server-sent events. */
export function readJsonBody(body: string): Page {
  const client = createJsonClient()
  for (const data of dataLines(body)) client.push(data)
  return client.page
}
