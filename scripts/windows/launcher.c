/* pbrain-shisan.exe: CPython in this very process, with the brain as its program.
 *
 * A manager can suspend, weigh and end only the process that it started; so this loads
 * python311.dll from its own folder and runs the brain in it, and starts nothing else. Everything
 * is found by the exe's own path: the working directory, the environment, the registry and an
 * installed Python play no part. It is built for the Windows subsystem: no console is made, and
 * standard input and output are the handles that the manager passed.
 */

#define WIN32_LEAN_AND_MEAN
#include <Python.h>
#include <wchar.h>
#include <windows.h>

#define LONGEST 32768 /* the longest path that Windows has */

static const wchar_t PROGRAM[] =
    L"from shisan.protocol.loop import main; raise SystemExit(main())";
static const wchar_t *const PLACES[] = {L"lib\\python.zip", L"lib"}; /* where modules are */

static wchar_t folder[LONGEST]; /* of this exe, with the last backslash */
static wchar_t path[LONGEST + 16];

/* Put the folder of this exe into `folder`; whether that worked. */
static int find_folder(void)
{
    DWORD length = GetModuleFileNameW(NULL, folder, LONGEST);
    if (length == 0 || length >= LONGEST)
        return 0;
    while (length > 0 && folder[length - 1] != L'\\')
        length--;
    folder[length] = 0;
    return length > 0;
}

/* Say where the interpreter finds what: nowhere but in our folder. */
static PyStatus set_places(PyConfig *config)
{
    PyStatus status = PyConfig_SetString(config, &config->home, folder);
    config->module_search_paths_set = 1;
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES && !PyStatus_Exception(status); i++) {
        wcscpy(path, folder);
        wcscat(path, PLACES[i]);
        status = PyWideStringList_Append(&config->module_search_paths, path);
    }
    return status;
}

/* Start the interpreter; it takes nothing from its surroundings but the arguments. */
static PyStatus start(int count, wchar_t **arguments)
{
    PyPreConfig before;
    PyConfig config;
    PyStatus status;

    PyPreConfig_InitIsolatedConfig(&before);
    before.utf8_mode = 1; /* or Python would ask for a codec of the system's code page */
    status = Py_PreInitialize(&before);
    if (PyStatus_Exception(status))
        return status;
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    config.write_bytecode = 0;
    config.install_signal_handlers = 0;
    config.parse_argv = 0; /* they are the brain's, not Python's */
    status = set_places(&config);
    if (!PyStatus_Exception(status))
        status = PyConfig_SetArgv(&config, count, arguments);
    if (!PyStatus_Exception(status))
        status = PyConfig_SetString(&config, &config.run_command, PROGRAM);
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    return status;
}

int wmain(int count, wchar_t **arguments)
{
    PyStatus status;

    /* No box that waits for somebody to press a button: in a tournament nobody does. */
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    if (!find_folder())
        return 1;
    status = start(count, arguments);
    if (PyStatus_Exception(status))
        Py_ExitStatusException(status);
    return Py_RunMain();
}
