import { useMemo } from 'react'
import type { ResultBlock } from 'millrace'
import { toPrettyText } from '../../json/index.ts'
import { useKeptState } from '../../ui/index.ts'
import { GrowingText } from '../../ui/text/index.ts'
import { RawJson } from '../arguments/index.ts'
import { DiffView, isDiff, parseDiff } from '../diff/index.ts'
import { RawToggle } from './raw-toggle.tsx'
import { ResultImage } from './result-image.tsx'
import { toShownResult } from './result-shapes.ts'
import { ShapedResult } from './shaped-result.tsx'

/** Longer results are shown as text. */
const MAX_DIFF_LENGTH = 400_000

/** Names of results without a call, by the type of the provider's block. */
const names: ReadonlyMap<string, string> = new Map([
  ['web_search_tool_result', 'Result of a web search'],
  ['web_fetch_tool_result', 'Result of reading a page'],
  ['code_execution_tool_result', 'Result of running code'],
  ['bash_code_execution_tool_result', 'Result of running a command'],
  ['text_editor_code_execution_tool_result', 'Result of editing a file'],
  ['mcp_tool_result', 'Result of a tool on an MCP server'],
])

/** Shows a result without its call, as when older messages are gone or the provider has none. */
export function ResultView({ block }: { readonly block: ResultBlock }) {
  const shown = toShownResult(block)
  const [isRaw, setRaw] = useKeptState('card-raw', false)
  const note = shown?.kind === 'note' ? shown.text : undefined
  const name = note ?? names.get(block.name) ?? `Result of ${block.name}`
  return (
    <section className="card" aria-label={name}>
      <div className="card-body">
        {note === undefined && <p className="result-name">{name}</p>}
        {isRaw ? <RawJson label="Result" text={block.text} /> : <ResultBody result={block} />}
        {shown && <RawToggle isRaw={isRaw} onToggle={setRaw} />}
      </div>
    </section>
  )
}

/** Shows a result by its shape, as a diff or as text, with its images. */
export function ResultBody({ result }: { readonly result: ResultBlock }) {
  const { text, done, isError, images, name } = result
  const shown = toShownResult(result)
  return (
    <div className="result" data-error={isError || undefined}>
      {shown ? (
        <ShapedResult shown={shown} name={name} />
      ) : (
        <ResultText {...{ text, done, isError }} />
      )}
      {images.map((image, index) => (
        <ResultImage key={index} image={image} label={`${name}, result ${index + 1}`} />
      ))}
      {text === '' && images.length === 0 && <p className="muted">An empty result</p>}
    </div>
  )
}

type ResultTextProps = Pick<ResultBlock, 'text' | 'done' | 'isError'>

function ResultText({ text, done, isError }: ResultTextProps) {
  const pretty = useMemo(() => (done ? toPrettyText(text) : text), [text, done])
  const files = useMemo(
    () => (done && text.length <= MAX_DIFF_LENGTH && isDiff(text) ? parseDiff(text) : []),
    [text, done],
  )
  if (files.length > 0) return <DiffView files={files} />
  if (pretty === '') return null
  return (
    <pre className="payload" tabIndex={0} aria-label={isError ? 'Error' : 'Result'}>
      <GrowingText text={pretty} />
    </pre>
  )
}
