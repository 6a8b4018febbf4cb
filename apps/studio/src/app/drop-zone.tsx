import { useEffect, useState } from 'react'

interface DropZoneProps {
  readonly onFiles: (files: readonly File[]) => void
  /** A message is being written that files can go along with. */
  readonly canAttach: boolean
}

/** Takes files that are dropped anywhere on the page, and says so while one hovers. */
export function DropZone({ onFiles, canAttach }: DropZoneProps) {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true
    const onDragOver = (event: DragEvent) => {
      if (!hasFile(event)) return
      event.preventDefault()
      setOver(true)
    }
    const onDragLeave = (event: DragEvent) => {
      // Only leaving the window has nothing that is entered.
      if (event.relatedTarget === null) setOver(false)
    }
    const onDrop = (event: DragEvent) => {
      if (!hasFile(event)) return
      event.preventDefault()
      setOver(false)
      const files = [...(event.dataTransfer?.files ?? [])]
      if (files.length > 0) onFiles(files)
    }
    addEventListener('dragover', onDragOver)
    addEventListener('dragleave', onDragLeave)
    addEventListener('drop', onDrop)
    return () => {
      removeEventListener('dragover', onDragOver)
      removeEventListener('dragleave', onDragLeave)
      removeEventListener('drop', onDrop)
    }
  }, [onFiles])
  if (!isOver) return null
  return (
    <div className="drop-zone" aria-hidden="true">
      <p>Drop a recorded run to open it{canAttach && ', or any other file to attach it'}</p>
    </div>
  )
}
