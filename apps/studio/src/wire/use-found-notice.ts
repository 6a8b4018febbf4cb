import { useEffect, useRef, useState } from 'react'

/** The pause in typing after which the count is announced. */
const PAUSE_MS = 500

/** Returns the announcement of the number of matches, once for each text. */
export function useFoundNotice(text: string, found: number): string {
  const words = text.trim()
  const [notice, setNotice] = useState('')
  const latest = useRef(found)
  useEffect(() => {
    latest.current = found
  })
  useEffect(() => {
    const timer = setTimeout(() => setNotice(toNotice(words, latest.current)), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [words])
  return notice
}

function toNotice(words: string, found: number): string {
  if (words === '') return ''
  return `${found.toLocaleString('en')} ${found === 1 ? 'frame' : 'frames'} found for ${words}`
}
