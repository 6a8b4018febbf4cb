import { CopyButton } from '../../ui/index.ts'

interface RawToggleProps {
  readonly isRaw: boolean
  readonly onToggle: (isRaw: boolean) => void
  /** Text that the copy button copies. */
  readonly copy?: string | undefined
}

/** Switches between the readable and the raw form. */
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
