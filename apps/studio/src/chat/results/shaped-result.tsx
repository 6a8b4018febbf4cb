import type { Transcript } from 'millrace'
import { useTranscript } from 'millrace/react'
import { type ReactNode, useCallback } from 'react'
import { readString } from '../../json/index.ts'
import { useStudio } from '../../session/index.ts'
import { toSafeLink } from '../../ui/index.ts'
import { GrowingText, VisibleText } from '../../ui/text/index.ts'
import { ResultImage } from './result-image.tsx'
import type {
  FoundPage,
  NoteResult,
  OutputResult,
  PagesResult,
  PartsResult,
  ResultPart,
  ShownResult,
} from './result-shapes.ts'

interface ShapedResultProps {
  readonly shown: ShownResult
  /** Name in the labels of the images. */
  readonly name: string
}

/** Components by the shape of a result. */
const views: {
  readonly [Kind in ShownResult['kind']]: (
    shown: ShownResult & { kind: Kind },
    name: string,
  ) => ReactNode
} = {
  output: (shown) => <Output output={shown} />,
  pages: (shown) => <Pages result={shown} />,
  parts: (shown, name) => <Parts result={shown} name={name} />,
  note: (shown) => <Note note={shown} />,
}

/** Shows a result with a known shape. */
export function ShapedResult({ shown, name }: ShapedResultProps) {
  return draw(shown, name)
}

function draw<Kind extends ShownResult['kind']>(
  shown: ShownResult & { kind: Kind },
  name: string,
): ReactNode {
  return views[shown.kind](shown, name)
}

function Output({ output }: { readonly output: OutputResult }) {
  const { stdout, stderr, exitCode, files } = output
  return (
    <>
      <Stream name="stdout" text={stdout} />
      <Stream name="stderr" text={stderr} />
      {files.map((file, index) => (
        <FileMention key={index} label="Created a file" file={file} />
      ))}
      <p className="output-end" data-failed={(exitCode ?? 0) !== 0 || undefined}>
        {stdout === '' && stderr === '' && 'No output. '}
        {exitCode !== undefined && `Exit code ${exitCode}`}
      </p>
    </>
  )
}

function Stream({ name, text }: { readonly name: 'stdout' | 'stderr'; readonly text: string }) {
  if (text === '') return null
  return (
    <>
      <p className="output-name" aria-hidden="true">
        {name}
      </p>
      <pre className="payload" data-stream={name} tabIndex={0} aria-label={name}>
        <GrowingText text={text} />
      </pre>
    </>
  )
}

function Pages({ result: { pages, more } }: { readonly result: PagesResult }) {
  return (
    <>
      <ol className="found-pages" aria-label="Pages found">
        {pages.map((page, index) => (
          <li key={index}>
            <Page page={page} />
          </li>
        ))}
      </ol>
      <More count={more} />
    </>
  )
}

function Page({ page: { title, url, age } }: { readonly page: FoundPage }) {
  const href = toSafeLink(url)
  const host = href === undefined ? '' : new URL(href).host
  const label = title || host || 'Untitled page'
  const facts = [host, age].filter(Boolean).join(' · ')
  return (
    <>
      {href === undefined ? (
        <span>
          <VisibleText text={label} isSingleLine />
        </span>
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow">
          <VisibleText text={label} isSingleLine />
        </a>
      )}
      {facts && <span className="muted">{facts}</span>}
    </>
  )
}

interface PartsProps {
  readonly result: PartsResult
  readonly name: string
}

function Parts({ result: { parts, more }, name }: PartsProps) {
  return (
    <>
      {parts.map((part, index) => (
        <Part key={index} part={part} label={`${name}, part ${index + 1}`} />
      ))}
      <More count={more} />
    </>
  )
}

function Part({ part, label }: { readonly part: ResultPart; readonly label: string }) {
  const { text, image, other } = part
  if (image !== undefined)
    return <ResultImage image={{ src: image, mediaType: '' }} label={label} />
  if (other !== undefined)
    return (
      <p className="muted">
        A part of an unsupported type: <VisibleText text={other} isSingleLine />
      </p>
    )
  if (!text) return null
  return (
    <pre className="payload" tabIndex={0} aria-label="Result">
      <GrowingText text={text} />
    </pre>
  )
}

function More({ count }: { readonly count: number }) {
  return count > 0 ? <p className="muted">And {count.toLocaleString('en')} more.</p> : null
}

function Note({ note: { text, file } }: { readonly note: NoteResult }) {
  return file === '' ? (
    <p>
      <VisibleText text={text} />
    </p>
  ) : (
    <FileMention label={text} file={file} />
  )
}

interface FileMentionProps {
  readonly label: string
  /** Id of the file at the provider. */
  readonly file: string
}

/** Shows a file of the provider by its name, or by its id if the name is unknown. */
function FileMention({ label, file }: FileMentionProps) {
  const { session } = useStudio()
  const select = useCallback(
    ({ files }: Transcript) => {
      const found = files.find((each) => readString(each, 'file_id') === file)
      return readString(found, 'filename') ?? file
    },
    [file],
  )
  return (
    <p className="file-mention">
      {label}:{' '}
      <code title={file}>
        <VisibleText text={useTranscript(session, select)} isSingleLine />
      </code>
    </p>
  )
}
