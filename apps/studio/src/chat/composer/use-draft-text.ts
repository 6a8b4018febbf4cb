import { useEffect, useRef, useState } from 'react'
import { useStudio } from '../../session/index.ts'
import { keepInTab, readInTab, useKept } from '../../ui/index.ts'

/** The prompt that is being written, which neither a look at the past nor a reload loses. */
export function useDraftText(isNew: boolean): readonly [string, (text: string) => void] {
  const { session, server, resumed } = useStudio()
  // What is written before anything was asked is of any new conversation: a reload finds no name for this one.
  const key = `millrace-draft ${server} ${isNew && !resumed ? '' : session.id}`
  const [first] = useState(() => readInTab(key) ?? '')
  const [text, setText] = useKept('prompt', first)
  const write = (next: string) => {
    setText(next)
    keepInTab(key, next || undefined)
  }
  const lastKey = useRef(key)
  useEffect(() => {
    if (key === lastKey.current) return
    keepInTab(lastKey.current, undefined)
    keepInTab(key, text || undefined)
    lastKey.current = key
  }, [key, text])
  return [text, write]
}
