import { useCallback } from 'react'
import type { Transcript } from 'millrace'
import { useTranscript } from 'millrace/react'
import { readString } from '../../json/index.ts'
import { useStudio } from '../../session/index.ts'
import { VisibleText } from '../../ui/text/index.ts'

interface FileMentionProps {
  readonly label: string
  /** Id of the file at the provider. */
  readonly file: string
}

/** Shows a file of the provider by its name, or by its id if the name is unknown. */
export function FileMention({ label, file }: FileMentionProps) {
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
