import { toSize } from '../../text/index.ts'
import { FileIcon } from '../../ui/index.ts'
import type { Attachment } from './attachment.ts'

interface AttachmentListProps {
  readonly list: readonly Attachment[]
  readonly problem: string | undefined
  readonly onRemove: (key: number) => void
}

/** Lists the attached files with their progress and a button to remove each. */
export function AttachmentList({ list, problem, onRemove }: AttachmentListProps) {
  return (
    <>
      {list.length > 0 && (
        <ul className="attachments" aria-label="Attached files">
          {list.map((attachment) => (
            <Item key={attachment.key} attachment={attachment} onRemove={onRemove} />
          ))}
        </ul>
      )}
      {problem !== undefined && (
        <p className="form-problem" role="alert">
          {problem}
        </p>
      )}
    </>
  )
}

interface ItemProps {
  readonly attachment: Attachment
  readonly onRemove: (key: number) => void
}

function Item({ attachment, onRemove }: ItemProps) {
  const { key, name, preview, problem } = attachment
  return (
    <li data-bad={problem !== undefined || undefined}>
      {preview ? <img src={preview} alt="" /> : <FileIcon />}
      <div>
        <span className="attachment-name" title={name}>
          {name}
        </span>
        <State attachment={attachment} />
      </div>
      <button
        type="button"
        className="quiet-button"
        aria-label={`Remove ${name}`}
        title="Remove"
        onClick={() => onRemove(key)}
      >
        ×
      </button>
    </li>
  )
}

function State({
  attachment: { name, size, progress, uploaded, problem },
}: Pick<ItemProps, 'attachment'>) {
  if (problem !== undefined) {
    return (
      <span className="attachment-problem" role="alert">
        {problem}
      </span>
    )
  }
  if (uploaded) return <span className="muted">{toSize(size)}</span>
  return <progress value={progress} max={1} aria-label={`Sending ${name}`} />
}
