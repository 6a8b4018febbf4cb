import { useEffect, useRef, useState } from 'react'

/** Whoever pauses for so long has typed what they look for. */
const PAUSE_MS = 500

/** What is said to those who listen: how many frames were found, once for each text, though more may come. */
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
