import { CopyButton } from '../../ui/index.ts'

interface RawToggleProps {
  readonly isRaw: boolean
  readonly onToggle: (isRaw: boolean) => void
  /** What to offer for copying beside it. */
  readonly copy?: string | undefined
}

/** Switches between what is made for reading and what was sent. */
export function RawToggle({ isRaw, onToggle, copy }: RawToggleProps) {
  return (
    <div className="card-tools">
      {copy !== undefined && !isRaw && <CopyButton text={copy} />}
      <button
        type="button"
        className="quiet-button"
        aria-pressed={isRaw}
        onClick={() => onToggle(!isRaw)}
      >
        Raw
      </button>
    </div>
  )
}
