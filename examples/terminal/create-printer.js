import { styleText } from 'node:util'
import { rootAgent, showHiddenCharacters } from 'millrace'

const hasColours = process.stdout.isTTY && !process.env.NO_COLOR

/** Colours a text. Escape sequences and hidden characters of a model are shown as code points, such as ⟨U+001B⟩. */
export function paint(style, text) {
  const plain = showHiddenCharacters(text)
  return hasColours ? styleText(style, plain) : plain
}

/** The form of each type of block; other types are skipped. */
const looks = {
  text: { style: 'reset', head: () => '' },
  thinking: { style: 'gray', head: () => '' },
  tool_call: { style: 'cyan', head: ({ name }) => `→ ${name} ` },
  server_tool_call: { style: 'cyan', head: ({ name }) => `→ ${name} ` },
  error: { style: 'red', head: ({ error }) => String(error.message) },
}

/** The first line of a result, and that there is more. */
function firstLine(text) {
  const line = text.split('\n', 1)[0].slice(0, 200)
  return line.length < text.length ? `${line} …` : line
}

/** Prints the new content of a transcript, after the content that it printed before. */
export function createPrinter() {
  const write = (style, text) => process.stdout.write(paint(style, text))
  const calls = new Set() // positions of calls whose results are still to be printed
  let position = 0 // of the block that is being printed
  let length = 0 // how much of it has been
  let key // its key, once its beginning has been printed

  const printResults = (blocks) => {
    for (const place of calls) {
      const { name, result } = blocks.at(place) ?? {}
      if (!result?.done) continue
      const mark = result.isError ? '✗' : '✓'
      write(result.isError ? 'red' : 'green', `${mark} ${name}: ${firstLine(result.text)}\n`)
      calls.delete(place)
    }
  }

  const startOver = (blocks) => {
    write('yellow', '\n(what came last is void: it is tried again)\n')
    for (const place of calls) if (place >= blocks.length) calls.delete(place)
    position = Math.min(position, blocks.length)
    key = undefined
  }

  return (transcript) => {
    const blocks = rootAgent(transcript)?.blocks
    if (!blocks) return
    const isGone = key !== undefined && blocks.at(position)?.key !== key
    if (isGone || position > blocks.length) startOver(blocks)
    for (let block; (block = blocks.at(position)); position++) {
      const { style, head } = looks[block.type] ?? {}
      const text = block.text ?? ''
      if (block.key !== key) {
        printResults(blocks)
        ;[key, length] = [block.key, 0]
        if (style) write(style, head(block))
      }
      if (style) write(style, text.slice(length))
      length = text.length
      if (!block.done) return
      if (style) write(style, '\n')
      if (block.type.endsWith('_call')) calls.add(position)
      key = undefined
    }
    printResults(blocks)
  }
}
