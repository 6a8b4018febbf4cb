import { expect, test } from 'vitest'
import { keepEnvironmentSecrets } from './registered-secrets.ts'
import { redactText } from './redact-text.ts'

test('masks the secrets of the environment and no other values', () => {
  const env = {
    MILL_API_KEY: 'mill key of ours 1',
    MILL_DB: 'postgres://miller:p%40ss-word9@db.test/mill',
    MILL_TOKEN: 'production',
    MILL_KEY_FILE: 'etc/mill-key-file-9',
    MILL_SECRET: '/run/secrets/mill-9',
    MILL_PASSWORD: undefined,
    MILL_ADMIN_PASSWORD: 'correcthorse',
    MILL_PIN_PASSWD: '83920184',
    MILL_SECRET_ACCESS: '/wJalrXUtnFEMI/K7MDENG',
    MILL_PROXY: 'http://user:p%ss-word8@proxy.test:3128',
    MILL_NAME: 'mill name 123456',
    PWD: 'work/mill-folder-9',
  }
  keepEnvironmentSecrets(env)
  const isVisible = (text: string): boolean => redactText(`seen ${text} now`).includes(text)
  expect(isVisible(env.MILL_API_KEY)).toBe(false)
  expect(isVisible('p%40ss-word9')).toBe(false)
  expect(isVisible('p@ss-word9')).toBe(false)
  expect(isVisible('p%ss-word8')).toBe(false)
  expect(isVisible(env.MILL_ADMIN_PASSWORD)).toBe(false)
  expect(isVisible(env.MILL_PIN_PASSWD)).toBe(false)
  expect(isVisible(env.MILL_SECRET_ACCESS)).toBe(false)
  for (const text of [env.MILL_TOKEN, env.MILL_KEY_FILE, env.MILL_SECRET, env.MILL_NAME, env.PWD]) {
    expect(isVisible(text)).toBe(true)
  }
})
