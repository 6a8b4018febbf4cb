import { showHiddenCharacters } from 'millrace'
import type { ReactNode } from 'react'
import { useKeptState } from '../../ui/index.ts'
import { FoldedText, VisibleText } from '../../ui/text/index.ts'
import type { PayloadView } from '../../ui/text/index.ts'
import { FIRST_LINES, countDiffLines, takeFirstLines } from './clip-diff.ts'
import type { DiffFile, DiffHunk, DiffLine } from './parse-diff.ts'

const marks: Readonly<Record<DiffLine['kind'], string>> = {
  add: '+',
  remove: '−',
  keep: '',
  note: '',
}
const spokenMarks: Readonly<Record<DiffLine['kind'], string>> = {
  add: 'Added: ',
  remove: 'Removed: ',
  keep: '',
  note: 'Note: ',
}

interface DiffViewProps {
  readonly files: readonly DiffFile[]
  readonly view?: PayloadView
}

/** Shows the diffs of files line by line. */
export function DiffView({ files, view = 'scrolled' }: DiffViewProps) {
  return (
    <div className="diffs">
      {files.map((file, index) => (
        <FileDiff key={index} file={file} view={view} name={`diff-${index}`} />
      ))}
    </div>
  )
}

interface FileDiffProps {
  readonly file: DiffFile
  readonly view: PayloadView
  readonly name: string
}

function FileDiff({ file, view, name }: FileDiffProps) {
  const { path, hunks } = file
  const [isWhole, setWhole] = useKeptState(`${name}-whole`, false)
  const total = countDiffLines(file)
  const first = isWhole ? Infinity : FIRST_LINES[view]
  const where = path && ` in ${showHiddenCharacters(path, { isSingleLine: true })}`
  return (
    <DiffFrame file={file} view={view} name={name}>
      <div
        className="diff-scroll"
        data-view={view}
        dir="ltr"
        tabIndex={0}
        role="group"
        aria-label={`Changes${where}`}
      >
        <table>
          {takeFirstLines(hunks, first).map((hunk, index) => (
            <Hunk key={index} hunk={hunk} />
          ))}
        </table>
      </div>
      {total > first && view === 'clipped' && (
        <p className="clip-note">{(total - first).toLocaleString('en')} more lines not shown</p>
      )}
      {total > first && view === 'scrolled' && (
        <button type="button" className="quiet-button diff-more" onClick={() => setWhole(true)}>
          Show all {total.toLocaleString('en')} lines
        </button>
      )}
    </DiffFrame>
  )
}

interface DiffFrameProps extends FileDiffProps {
  readonly children: ReactNode
}

/** Shows the diff of one file below its path. It can be collapsed unless it waits for approval. */
function DiffFrame({ file: { path, added, removed }, view, name, children }: DiffFrameProps) {
  const [isOpen, setOpen] = useKeptState(`${name}-open`, true)
  const head = (
    <>
      <span className="diff-path">
        <VisibleText text={path || 'Changes'} isSingleLine />
      </span>
      <span className="diff-counts">
        <span className="diff-added">+{added}</span>{' '}
        <span className="diff-removed">−{removed}</span>
        <span className="visually-hidden"> lines</span>
      </span>
    </>
  )
  if (view !== 'scrolled') {
    return (
      <div className="diff">
        <div className="diff-head">{head}</div>
        {children}
      </div>
    )
  }
  return (
    <details className="diff" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="diff-head">{head}</summary>
      {children}
    </details>
  )
}

/** Spaces that could move the rest of a line out of sight. */
const longSpace = /[ \t]{40}/

function Hunk({ hunk: { header, lines } }: { readonly hunk: DiffHunk }) {
  return (
    <tbody>
      {header !== '' && (
        <tr className="diff-header">
          <td colSpan={3}>
            <VisibleText text={header} isSingleLine />
          </td>
        </tr>
      )}
      {lines.map(({ kind, text, before, after }, index) => (
        <tr key={index} data-kind={kind}>
          <td className="diff-number">{before}</td>
          <td className="diff-number">{after}</td>
          <td className="diff-text" data-mark={marks[kind]}>
            {spokenMarks[kind] && <span className="visually-hidden">{spokenMarks[kind]}</span>}
            {longSpace.test(text) ? <FoldedText text={text} /> : <VisibleText text={text} />}
          </td>
        </tr>
      ))}
    </tbody>
  )
}
