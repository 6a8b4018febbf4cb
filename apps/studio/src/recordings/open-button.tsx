import { useRef } from 'react'
import { OpenIcon } from '../ui/index.ts'

interface OpenButtonProps {
  readonly onFile: (file: File) => void
  readonly label?: string
  readonly className?: string
}

/** Selects a file to open. */
export function OpenButton({ onFile, label = 'Open', className = 'button' }: OpenButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type="button"
        className={className}
        aria-label={label}
        title="Open a recorded run; you can also drop the file on the page"
        onClick={() => input.current?.click()}
      >
        <OpenIcon />
        <span>{label}</span>
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="A recorded run"
        accept=".sse,.json,.jsonl,.ndjson,.txt,.log,text/*,application/json"
        onChange={(event) => {
          const [file] = event.target.files ?? []
          // The same file may be selected again.
          event.target.value = ''
          if (file) onFile(file)
        }}
      />
    </>
  )
}
