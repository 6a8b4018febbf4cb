import { useKept } from '../rows/keep.ts'
import type { DiffFile, DiffHunk, DiffLine } from './parse-diff.ts'

/** How many lines of a file are shown before someone asks for all. */
const FIRST_LINES = 200

const marks: Readonly<Record<DiffLine['kind'], string>> = {
  add: '+',
  remove: '−',
  keep: '',
  note: '',
}
const words: Readonly<Record<DiffLine['kind'], string>> = {
  add: 'Added: ',
  remove: 'Removed: ',
  keep: '',
  note: 'Note: ',
}

/** What changes in some files, line by line. */
export function DiffView({ files }: { readonly files: readonly DiffFile[] }) {
  return (
    <div className="diffs">
      {files.map((file, index) => (
        <FileDiff key={index} file={file} name={`diff-${index}`} />
      ))}
    </div>
  )
}

function FileDiff({ file, name }: { readonly file: DiffFile; readonly name: string }) {
  const { path, hunks, added, removed } = file
  const [isOpen, setOpen] = useKept(`${name}-open`, true)
  const [isWhole, setWhole] = useKept(`${name}-whole`, false)
  const shown = isWhole ? hunks : firstHunks(hunks)
  const total = count(hunks)
  return (
    <details className="diff" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="diff-path">{path || 'Changes'}</span>
        <span className="diff-counts">
          <span className="diff-added">+{added}</span>{' '}
          <span className="diff-removed">−{removed}</span>
          <span className="visually-hidden"> lines</span>
        </span>
      </summary>
      <div
        className="diff-scroll"
        tabIndex={0}
        role="group"
        aria-label={`Changes${path && ` in ${path}`}`}
      >
        <table>
          {shown.map((hunk, index) => (
            <Hunk key={index} hunk={hunk} />
          ))}
        </table>
      </div>
      {!isWhole && total > FIRST_LINES && (
        <button type="button" className="quiet-button diff-more" onClick={() => setWhole(true)}>
          Show all {total.toLocaleString('en')} lines
        </button>
      )}
    </details>
  )
}

function Hunk({ hunk: { header, lines } }: { readonly hunk: DiffHunk }) {
  return (
    <tbody>
      {header !== '' && (
        <tr className="diff-header">
          <td colSpan={3}>{header}</td>
        </tr>
      )}
      {lines.map(({ kind, text, before, after }, index) => (
        <tr key={index} data-kind={kind}>
          <td className="diff-number">{before}</td>
          <td className="diff-number">{after}</td>
          <td className="diff-text" data-mark={marks[kind]}>
            {words[kind] && <span className="visually-hidden">{words[kind]}</span>}
            {text}
          </td>
        </tr>
      ))}
    </tbody>
  )
}

function count(hunks: readonly DiffHunk[]): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length, 0)
}

function firstHunks(hunks: readonly DiffHunk[]): readonly DiffHunk[] {
  const shown: DiffHunk[] = []
  let left = FIRST_LINES
  for (const { header, lines } of hunks) {
    if (left <= 0) break
    shown.push({ header, lines: lines.slice(0, left) })
    left -= lines.length
  }
  return shown
}
