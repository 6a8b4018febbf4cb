import { useCallback, useState } from 'react'
import type { DroppedFiles } from '../chat/composer/index.ts'
import { showPane } from '../ui/index.ts'

/** Opens a dropped recording and attaches any other dropped file to the next message if one can be written. */
export function useDroppedFiles(
  openFile: (file: File, otherwise?: () => void) => void,
  canAttach: boolean,
): DroppedFiles & { readonly onDropped: (files: readonly File[]) => void } {
  const [arrived, setArrived] = useState<readonly File[]>([])
  const onTaken = useCallback(() => setArrived([]), [])
  const onDropped = useCallback(
    (files: readonly File[]) => {
      const [first] = files
      const attach = () => {
        setArrived(files)
        if (location.hash.startsWith('#lab')) showPane('chat')
      }
      if (first) openFile(first, canAttach ? attach : undefined)
    },
    [openFile, canAttach],
  )
  return { arrived, onTaken, onDropped }
}
