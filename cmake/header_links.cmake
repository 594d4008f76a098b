# takt_link_headers(<folder> <name>...): a folder with links to these folders of the host's headers, and to nothing else
# of /usr/include, whose C library is not that of the target. What is not installed gets no link.
function(takt_link_headers folder)
  file(MAKE_DIRECTORY ${folder})
  foreach(name IN LISTS ARGN)
    foreach(prefix IN ITEMS /usr/local/include /usr/include)
      if(IS_DIRECTORY ${prefix}/${name} AND NOT EXISTS ${folder}/${name})
        file(CREATE_LINK ${prefix}/${name} ${folder}/${name} SYMBOLIC)
      endif()
    endforeach()
  endforeach()
endfunction()
