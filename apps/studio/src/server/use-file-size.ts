import { useEffect, useState } from 'react'
import { askFileSize } from './file-size.ts'

/** How large a file is, as the server says; undefined until it has. */
export function useFileSize(href: string | undefined, server: string): number | undefined {
  const [size, setSize] = useState<number>()
  useEffect(() => {
    if (href === undefined) return undefined
    let isShown = true
    void askFileSize(href, server).then((told) => isShown && setSize(told))
    return () => {
      isShown = false
    }
  }, [href, server])
  return size
}
