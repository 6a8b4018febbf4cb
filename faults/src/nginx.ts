export {
  nginxMissing,
  type RealProxy,
  startNginx,
} from '../../packages/millrace/test/support/real-proxies.ts'
