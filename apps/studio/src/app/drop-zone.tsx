import { useEffect, useState } from 'react'

interface DropZoneProps {
  readonly onFiles: (files: readonly File[]) => void
  /** Files can be attached, because a message can be written. */
  readonly canAttach: boolean
}

/** Accepts files that are dropped anywhere on the page and shows a hint while a file is dragged over it. */
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
      // Only leaving the window has no related target.
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
