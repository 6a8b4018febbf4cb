import { useEffect, useRef, useState } from 'react'
import { useStudio } from '../session/studio-context.ts'
import { useKept } from './rows/keep.ts'

/** The prompt that is being written, which neither a look at the past nor a reload loses. */
export function useDraftText(isNew: boolean): readonly [string, (text: string) => void] {
  const { session, server, resumed } = useStudio()
  // What is written before anything was asked is of any new conversation: a reload finds no name for this one.
  const key = `millrace-draft ${server} ${isNew && !resumed ? '' : session.id}`
  const [first] = useState(() => readDraft(key))
  const [text, setText] = useKept('prompt', first)
  const write = (next: string) => {
    setText(next)
    keepDraft(key, next)
  }
  const lastKey = useRef(key)
  useEffect(() => {
    if (key === lastKey.current) return
    keepDraft(lastKey.current, '')
    keepDraft(key, text)
    lastKey.current = key
  }, [key, text])
  return [text, write]
}

function readDraft(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

/** Keeps what was written for this tab; where browsers refuse to keep anything, it lives as long as the page. */
function keepDraft(key: string, text: string): void {
  try {
    // What there is no room for must not leave what was written before.
    sessionStorage.removeItem(key)
    if (text !== '') sessionStorage.setItem(key, text)
  } catch {}
}
