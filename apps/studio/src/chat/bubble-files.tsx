import { FileIcon } from '../shell/icons.tsx'

interface BubbleFilesProps {
  readonly files: readonly { readonly name: string; readonly size: string | undefined }[]
}

/** The files that a question came with. */
export function BubbleFiles({ files }: BubbleFilesProps) {
  if (files.length === 0) return null
  return (
    <ul className="bubble-files" aria-label="Files of the question">
      {files.map(({ name, size }, index) => (
        <li key={index}>
          <FileIcon />
          <span>{name}</span>
          {size && <span className="muted">{size}</span>}
        </li>
      ))}
    </ul>
  )
}
