import { createPage, dataLines, openBlock, type Page, type ShownBlock } from './page.ts'
import { decodeAttributes, readElement, textOf } from './xml-elements.ts'

/** Tags that stand alone, beside those that begin with `content-block-`. */
const ownTags = ['meta_init', 'citations', 'awaiting_frontend_tools', 'meta_final']
const knownBlocks = [
  'thinking',
  'text',
  'tool_call',
  'server_tool_call',
  'tool_result',
  'server_tool_result',
  'meta_files',
  'error',
]

/** The type of a tag of the document, or nothing if the tag is plain text. */
function typeOfTag(tag: string): string | undefined {
  if (ownTags.includes(tag)) return tag
  const name = tag.startsWith('content-block-') ? tag.slice('content-block-'.length) : undefined
  if (name !== undefined && knownBlocks.includes(name)) return name
  return tag.endsWith('_tool_result') ? 'server_tool_result' : undefined
}

/** A client of seed 000. The format names no agent, so all blocks belong to one. */
export function readXmlBody(body: string): Page {
  const page = createPage()
  const parts = dataLines(body)
  page.isDone = parts.at(-1) === '[DONE]'
  const stream = (page.isDone ? parts.slice(0, -1) : parts).join('')
  let agent = ''
  let position = 0
  for (;;) {
    const element = readElement(stream, position, (tag) => typeOfTag(tag) !== undefined)
    if (element === undefined) return page
    const attributes = decodeAttributes(element.attributes)
    const type = typeOfTag(element.tag) ?? element.tag
    if (type === 'meta_init') agent ||= String(JSON.parse(attributes['data'] ?? '{}').agent_uuid)
    show(page, agent, { ...element, type, fields: attributes })
    position = element.end
  }
}

interface Shown {
  readonly tag: string
  readonly type: string
  readonly fields: Record<string, string>
  readonly body: string
  readonly isClosed: boolean
}

function show(page: Page, agent: string, { tag, type, fields, body, isClosed }: Shown): void {
  if (type === 'citations') return cite(page.agents.get(agent) ?? [], body)
  const block = openBlock(page, agent, type)
  const isDynamic = !tag.startsWith('content-block-') || !knownBlocks.includes(type)
  const name = type === 'server_tool_result' && isDynamic ? { name: tag } : {}
  Object.assign(block.fields, name, fields)
  block.isDone = isClosed
  fill(block, body)
  if (type === 'awaiting_frontend_tools') page.pending = JSON.parse(block.content)
  if (type === 'error') page.errors.push(JSON.parse(block.content))
}

function fill(block: ShownBlock, body: string): void {
  const { data, arguments: input } = block.fields
  if (data !== undefined) block.content = String(data)
  else if (input !== undefined) block.content = String(input)
  else if (block.type === 'text' || block.type === 'thinking') readText(block, body)
  else if (block.type === 'tool_result') readResult(block, body)
  else block.content = textOf(body)
}

/** The text of a block; charts and tables in it are shown as such. */
function readText(block: ShownBlock, body: string): void {
  block.content = body
  for (const [element] of body.matchAll(/<(chart|table)\b[^>]*>[^]*?<\/\1>/g))
    block.embedded.push(element)
}

function readResult(block: ShownBlock, body: string): void {
  const text = readElement(body, 0, (tag) => tag === 'text')
  block.content = text === undefined ? textOf(body) : textOf(text.body)
  for (let from = 0; ;) {
    const image = readElement(body, from, (tag) => tag === 'image')
    if (image === undefined) return
    const { src = '', media_type: mediaType = '' } = decodeAttributes(image.attributes)
    block.images.push({ src, mediaType })
    from = image.end
  }
}

function cite(blocks: readonly ShownBlock[], body: string): void {
  const text = blocks.findLast(({ type, isDone }) => type === 'text' && isDone)
  for (let from = 0; ;) {
    const citation = readElement(body, from, (tag) => tag === 'citation')
    if (citation === undefined) return
    const attributes = decodeAttributes(citation.attributes)
    text?.citations.push({ ...attributes, cited_text: textOf(citation.body) })
    from = citation.end
  }
}
