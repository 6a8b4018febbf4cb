import { useRef } from 'react'
import { ClipIcon } from '../../ui/index.ts'

/** Selects files to attach. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type="button"
        className="attach"
        aria-label="Attach files"
        title="Attach files: images, PDF, text"
        onClick={() => input.current?.click()}
      >
        <ClipIcon />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          // The same file may be selected again.
          event.target.value = ''
        }}
      />
    </>
  )
}
