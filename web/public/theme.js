// The first script of the page: its theme before anything is painted.
(function () {
  var kept = null
  try {
    kept = JSON.parse(localStorage.getItem('helloclaw.theme'))
  } catch (error) {
    kept = null
  }
  var dark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
